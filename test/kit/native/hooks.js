const replacements = new Map([
  ['@jest/globals', './globals.js'],
  // The sources of the package, instead of its build.
  ['taskgate-client', '../../../client/src/index.ts'],
  ['taskgate-client/node', '../../../client/src/node.ts'],
]);

export function resolve(specifier, context, nextResolve) {
  const file = replacements.get(specifier);
  return nextResolve(file === undefined ? specifier : new URL(file, import.meta.url).href, context);
}
