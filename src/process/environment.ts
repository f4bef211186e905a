import { readFileSync } from 'node:fs';

/** Names that a shell can assign, so that every shell passes them on. */
const assignable = /^[A-Za-z_]\w*$/;

/** @returns the variables of the parent process whose names no shell can assign; none where the system does not show them, as Linux does */
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
 * Adds the variables that were lost on the way to the process. `npm start` runs it by a shell, and dash drops variables whose names it
 * cannot assign, such as `OIDC_MY-IDP_ISSUER`: they would be ignored instead of refused.
 * @param own of the process
 */
export function withDropped(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isByNpm = own['npm_lifecycle_event'] !== undefined;
  return isByNpm ? { ...Object.fromEntries(unassignable()), ...own } : own;
}
