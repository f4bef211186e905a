// How large the package is for a page that uses all of it: minified and compressed, with what it depends on. It ends with 1 where
// that is more than the README promises.
import { gzipSync } from 'node:zlib';
import path from 'node:path';
import { build } from 'esbuild';

const maxBytes = 20_000;

const { outputFiles } = await build({
  entryPoints: [path.join(import.meta.dirname, '../src/index.ts')],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  write: false,
});
const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
console.log(`taskgate-client: ${bytes} of ${maxBytes} bytes, minified and compressed`);
if (bytes > maxBytes) process.exitCode = 1;
