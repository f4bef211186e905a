// Builds the console into dist/console: the page, scripts and styles with hashes in their names, and the service worker that caches them.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const source = path.join(import.meta.dirname, '../src');
const target = path.join(import.meta.dirname, '../../dist/console');

const options = {
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2023', 'chrome120', 'firefox125', 'safari17'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  outdir: target,
};

await rm(target, { recursive: true, force: true });
const { metafile } = await build({
  ...options,
  entryPoints: { console: path.join(source, 'main.tsx'), style: path.join(source, 'styles/index.css') },
  entryNames: 'assets/[name]-[hash]',
  chunkNames: 'assets/[name]-[hash]',
  splitting: true,
  metafile: true,
});
const urlOfFile = (file) => `/${path.relative(target, path.resolve(file)).replaceAll(path.sep, '/')}`;
const outputs = Object.entries(metafile.outputs).map(([file, { entryPoint = '', imports }]) => ({
  url: urlOfFile(file),
  entryPoint,
  imports: imports.filter(({ kind }) => kind === 'import-statement').map((each) => urlOfFile(each.path)),
}));
const urlOf = (entry) => outputs.find(({ entryPoint }) => entryPoint.endsWith(entry))?.url ?? '';

const icon = await readFile(path.join(source, 'icon.svg'));
const iconUrl = `/assets/icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
await mkdir(path.join(target, 'assets'), { recursive: true });
await writeFile(path.join(target, iconUrl), icon);

// The script and its static imports. The loop also visits the entries that it adds.
const script = urlOf('main.tsx');
const scripts = new Set([script]);
for (const url of scripts)
  for (const each of outputs.find((file) => file.url === url)?.imports ?? []) scripts.add(each);

const page = await readFile(path.join(source, 'index.html'), 'utf8');
const preloads = [...scripts]
  .slice(1)
  .map((url) => `<link rel="modulepreload" href="${url}" />`)
  .join('\n    ');
const names = { script, style: urlOf('index.css'), icon: iconUrl, preloads };
const html = page.replaceAll(/\{\{(script|style|icon|preloads)\}\}/g, (_match, name) => names[name]);
await writeFile(path.join(target, 'index.html'), html);

const assets = [...outputs.map(({ url }) => url), iconUrl];
const version = createHash('sha256').update(html).update(assets.join()).digest('hex').slice(0, 16);
await build({
  ...options,
  format: 'iife',
  entryPoints: { sw: path.join(source, 'service-worker.ts') },
  define: { ASSETS: JSON.stringify(assets), VERSION: JSON.stringify(version) },
});

// Files that the first list needs.
const firstLoadFiles = ['/index.html', names.style, names.icon, ...scripts];
const sizes = await Promise.all(
  firstLoadFiles.map(async (url) => gzipSync(await readFile(path.join(target, url))).length),
);
const bytes = sizes.reduce((sum, size) => sum + size, 0);
const maxBytes = 120_000;
console.log(`console: ${bytes} of ${maxBytes} bytes for the first load, compressed`);
if (bytes > maxBytes) process.exitCode = 1;
