const instead = new Map([
  ['@jest/globals', './globals.js'],
  // The package's own sources, of which its build is made.
  ['taskgate-client', '../../../client/src/index.ts'],
  ['taskgate-client/node', '../../../client/src/node.ts'],
]);

/** Node's hook for finding a module. */
export function resolve(specifier, context, nextResolve) {
  const file = instead.get(specifier);
  return nextResolve(file === undefined ? specifier : new URL(file, import.meta.url).href, context);
}
