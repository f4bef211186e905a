import { readFileSync } from 'node:fs';

const assignable = /^[A-Za-z_]\w*$/;

/** @returns empty if the system does not show the parent's variables */
function unassignable(): [name: string, value: string][] {
  try {
    return readFileSync(`/proc/${process.ppid}/environ`, 'utf8')
      .split('\0')
      .map((entry): [string, string] => {
        const [name = '', ...value] = entry.split('=');
        return [name, value.join('=')];
      })
      .filter(([name]) => name !== '' && !assignable.test(name));
  } catch {
    return [];
  }
}

/**
 * Adds variables that dash, the shell of `npm start`, drops because it cannot assign them, such as
 * `OIDC_MY-IDP_ISSUER`. They would be ignored instead of refused.
 */
export function withDropped(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isByNpm = own['npm_lifecycle_event'] !== undefined;
  return isByNpm ? { ...Object.fromEntries(unassignable()), ...own } : own;
}
