import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

/** Leads to the sources of the packages, instead of their builds. */
export function resolve(specifier, context, nextResolve) {
  const [, name] = /^@taskgate\/([a-z-]+)$/.exec(specifier) ?? [];
  const source = name && new URL(`../packages/${name}/index.ts`, import.meta.url).href;
  return nextResolve(source ?? specifier, context);
}

/** Removes the types from TypeScript files when they are loaded. */
export async function load(url, context, nextLoad) {
  if (!/^file:[^?]*\.ts(\?|$)/.test(url)) return nextLoad(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), {
    filename,
    swcrc: false,
    sourceMaps: 'inline',
    module: { type: 'es6' },
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
