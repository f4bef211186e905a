import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export async function hashCode(root: string): Promise<string> {
  const listed = await Promise.all(
    ['src', 'rest', 'mcp'].map(async (folder) => {
      const names = await readdir(path.join(root, folder), { recursive: true });
      return names.map((name) => path.join(folder, name));
    }),
  );
  const files = listed
    .flat()
    .filter((file) => /\.[jt]s$/.test(file))
    .sort();
  const texts = await Promise.all(files.map((file) => readFile(path.join(root, file), 'utf8')));
  return createHash('sha256')
    .update(JSON.stringify([files, texts]))
    .digest('base64url');
}

/** Equal in all processes of a version. */
export const codeHash = await hashCode(path.resolve(import.meta.dirname, '../..'));
