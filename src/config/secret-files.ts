import { readText } from './shapes.ts';

/** `<name>_FILE` may name a file with the value. */
export const secretVariables: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_READ_URLS',
  'REDIS_URL',
  'SMTP_URL',
  'SESSION_SECRET',
];

const providerSecret = /^OIDC_\w+_CLIENT_SECRET$/;

const suffix = '_FILE';

/** Drops the line breaks at a file's end. @returns also the problems, as sentences */
export function withSecretFiles(variables: NodeJS.ProcessEnv): { variables: NodeJS.ProcessEnv; problems: string[] } {
  const result = { ...variables };
  const problems: string[] = [];
  for (const [variable, file] of Object.entries(variables)) {
    const name = variable.slice(0, -suffix.length);
    if (!variable.endsWith(suffix) || !(secretVariables.includes(name) || providerSecret.test(name))) continue;
    result[variable] = undefined;
    if (!file) continue;
    if (variables[name]) {
      problems.push(`${variable} must not be set beside ${name}`);
      continue;
    }
    const read = readText(file);
    if ('problem' in read) problems.push(`${variable} ${read.problem}`);
    else if ((result[name] = read.text.replace(/[\r\n]+$/, '')) === '') {
      problems.push(`${variable} must name a file that is not empty`);
    }
  }
  return { variables: result, problems };
}
