import path from 'node:path';
import { pathToFileURL } from 'node:url';

export const benchFolder = path.resolve(import.meta.dirname, '..');

/**
 * Imports a module of the built service.
 * @param {string} service its folder
 * @param {string} file below `dist/`
 */
export const serviceModule = (service, file) => import(pathToFileURL(path.join(service, 'dist', file)).href);
