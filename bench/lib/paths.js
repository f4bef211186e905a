import path from 'node:path';
import { pathToFileURL } from 'node:url';

export const benchFolder = path.resolve(import.meta.dirname, '..');

/**
 * Imports a module of the built service.
 * @param {string} service its folder
 * @param {string} file of the sources, but compiled: `src/platform/ids.js`, `packages/work/index.js`
 */
export const serviceModule = (service, file) => {
  const [, folder = '', inPackage] = /^(packages\/[^/]+)\/(.+)$/.exec(file) ?? [];
  const built = inPackage === undefined ? path.join('dist', file) : path.join(folder, 'dist', inPackage);
  return import(pathToFileURL(path.join(service, built)).href);
};
