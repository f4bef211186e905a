// Builds the console into dist/console: the page, scripts and styles with hashes in their names, and the service worker that caches them.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import sharp from 'sharp';

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

const main = path.join(source, 'main.tsx');
/**
 * Modules on demand import the main module too, which is loaded anyway. Otherwise esbuild would make a file for each set of modules that share
 * code, and small files compress badly.
 */
const oneMainFile = {
  name: 'one-main-file',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\./ }, ({ kind, path: relative, resolveDir }) =>
      kind === 'dynamic-import'
        ? { path: path.join(resolveDir, relative), pluginData: { isOnDemand: true } }
        : undefined,
    );
    onLoad({ filter: /\.tsx?$/ }, async ({ path: file, pluginData }) =>
      pluginData?.isOnDemand
        ? {
            contents: `${await readFile(file, 'utf8')}\nimport ${JSON.stringify(main)};`,
            loader: path.extname(file).slice(1),
          }
        : undefined,
    );
  },
};

await rm(target, { recursive: true, force: true });
const names = { entryNames: 'assets/[name]-[hash]', chunkNames: 'assets/[name]-[hash]', metafile: true };
const { metafile } = await build({
  ...{ ...options, ...names },
  entryPoints: { console: main, style: path.join(source, 'styles/index.css') },
  splitting: true,
  plugins: [oneMainFile],
});
// Not a module: those run after the first paint.
const beforePaint = await build({
  ...{ ...options, ...names, format: 'iife' },
  entryPoints: { 'before-paint': path.join(source, 'app/before-paint.ts') },
});
const urlOfFile = (file) => `/${path.relative(target, path.resolve(file)).replaceAll(path.sep, '/')}`;
const outputs = Object.entries({ ...metafile.outputs, ...beforePaint.metafile.outputs }).map(
  ([file, { entryPoint = '', imports }]) => ({
    url: urlOfFile(file),
    entryPoint,
    imports: imports.filter(({ kind }) => kind === 'import-statement').map((each) => urlOfFile(each.path)),
  }),
);
const urlOf = (entry) => outputs.find(({ entryPoint }) => entryPoint.endsWith(entry))?.url ?? '';

const assets = outputs.map(({ url }) => url);
async function addAsset(name, content) {
  const [base, extension] = name.split('.');
  const url = `/assets/${base}-${createHash('sha256').update(content).digest('hex').slice(0, 8)}.${extension}`;
  await writeFile(path.join(target, url), content);
  assets.push(url);
  return url;
}

const icon = await readFile(path.join(source, 'icon.svg'), 'utf8');
/** Systems cut full icons to a shape of their own. */
const addIcon = async (name, size, svg) =>
  addAsset(`${name}.png`, await sharp(Buffer.from(svg)).resize(size).png({ palette: true }).toBuffer());
const fullIcon = icon.replace(/ rx="\d+"/, '');
const sizes = [192, 512];
const icons = await Promise.all([
  ...sizes.map((size) => addIcon(`icon-${size}`, size, icon)),
  ...sizes.map((size) => addIcon(`maskable-${size}`, size, fullIcon)),
]);
const manifest = {
  ...JSON.parse(await readFile(path.join(source, 'manifest.json'), 'utf8')),
  icons: icons.map((src, index) => ({
    ...{ src, type: 'image/png', sizes: `${sizes[index % 2]}x${sizes[index % 2]}` },
    purpose: index < 2 ? 'any' : 'maskable',
  })),
};

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
const urls = {
  ...{ script, preloads, style: urlOf('index.css'), beforePaint: urlOf('before-paint.ts') },
  icon: await addAsset('icon.svg', icon),
  touch: await addIcon('touch', 180, fullIcon),
  manifest: await addAsset('manifest.webmanifest', JSON.stringify(manifest)),
};
const html = page.replaceAll(/\{\{(\w+)\}\}/g, (match, name) => urls[name] ?? match);
await writeFile(path.join(target, 'index.html'), html);

const version = createHash('sha256').update(html).update(assets.join()).digest('hex').slice(0, 16);
await build({
  ...options,
  format: 'iife',
  entryPoints: { sw: path.join(source, 'service-worker.ts') },
  define: { ASSETS: JSON.stringify(assets), VERSION: JSON.stringify(version) },
});

// Files that the first list needs.
const firstLoadFiles = ['/index.html', urls.style, urls.icon, urls.beforePaint, ...scripts];
const fileSizes = await Promise.all(
  firstLoadFiles.map(async (url) => gzipSync(await readFile(path.join(target, url))).length),
);
const bytes = fileSizes.reduce((sum, size) => sum + size, 0);
const maxBytes = 120_000;
console.log(`console: ${bytes} of ${maxBytes} bytes for the first load, compressed`);
if (bytes > maxBytes) process.exitCode = 1;
