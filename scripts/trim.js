// Removes Prisma's query compilers for databases other than PostgreSQL, which are never loaded.
import { readdirSync, rmSync } from 'node:fs';

const folder = new URL('../node_modules/@prisma/client/runtime/', import.meta.url);
for (const file of readdirSync(folder)) {
  if (/\.(cockroachdb|mysql|sqlite|sqlserver)\./.test(file)) rmSync(new URL(file, folder));
}
