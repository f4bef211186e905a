import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The folder of the benchmark. */
export const benchFolder = path.resolve(import.meta.dirname, '..');

/**
 * A module of the built service.
 * @param {string} service its folder
 * @param {string} file below `dist/`
 */
export const serviceModule = (service, file) => import(pathToFileURL(path.join(service, 'dist', file)).href);
