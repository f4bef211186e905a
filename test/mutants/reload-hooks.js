/** Gives files the version of the file that imports them. A new version of a test file thus loads its sources again. */
export async function resolve(specifier, context, nextResolve) {
  const resolved = await nextResolve(specifier, context);
  const version = /\?version=\d+$/.exec(context.parentURL ?? '');
  const isMutable = /\/(src\/(?!generated\/)|packages\/recurrence\/|test\/(?!kit\/)).*\.ts$/.test(resolved.url);
  return version && isMutable ? { ...resolved, url: resolved.url + version[0] } : resolved;
}
