import { readText } from './shapes.ts';

/** Variables with secrets: `<name>_FILE` may name a file with the value. */
export const secretVariables: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_READ_URLS',
  'REDIS_URL',
  'SMTP_URL',
  'SESSION_SECRET',
];

/** So is this one of each provider. */
const providerSecret = /^OIDC_\w+_CLIENT_SECRET$/;

const suffix = '_FILE';

/**
 * Puts the content of files in the place of the variables that name them, without the line's end that editors write.
 * @returns the variables, and what is wrong with the files: each as a sentence that begins with the variable's name
 */
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
    else if ((result[name] = read.text.replace(/\r?\n$/, '')) === '') {
      problems.push(`${variable} must name a file that is not empty`);
    }
  }
  return { variables: result, problems };
}
