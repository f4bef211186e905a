import { defineConfig } from 'prisma/config';

// `prisma generate` needs no engine, yet the CLI fetches one unless its location is set.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({ schema: 'prisma/schema.prisma', migrations: { path: 'prisma/migrations' } });
