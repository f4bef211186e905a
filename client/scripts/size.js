// Measures the whole package with its dependencies, minified and compressed. Exits with 1 above the size that the README promises.
import { gzipSync } from 'node:zlib';
import path from 'node:path';
import { build } from 'esbuild';

const maxBytes = 24_000;

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
