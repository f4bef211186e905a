import { z } from 'zod';
import { isPrivateUrl } from '@taskgate/base';
import type { ProviderOptions } from '../accounts/providers/provider.ts';
import { text } from './shapes.ts';

const issuer = text.refine(
  (value) => {
    if (!isPrivateUrl(value)) return false;
    const { hash, search } = new URL(value);
    return hash === '' && search === '';
  },
  { error: 'must be an https URL, or an http URL of this machine' },
);

const required = text.refine((value) => value !== '', { error: 'must not be empty' });

const shape = z.strictObject({
  ISSUER: issuer,
  CLIENT_ID: required,
  CLIENT_SECRET: text.optional(),
  LABEL: required.optional(),
  SCOPES: z
    .string()
    .refine((value) => value.split(/\s+/).includes('openid'), { error: 'must have openid among them' })
    .default('openid email profile'),
  TRUST_EMAIL: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
});

const prefix = 'OIDC_';
const keys = Object.keys(shape.shape);
const form = new RegExp(`^${prefix}(\\w+?)_(${keys.join('|')})$`);

export const isOfProvider = (variable: string): boolean => variable.startsWith(prefix);

/** Replaces the first word. Undefined if no such variable exists. */
export function asProviderVariable(variable: string): string | undefined {
  const renamed = variable.replace(/^[^_]+_/, prefix);
  return form.test(renamed) ? renamed : undefined;
}

/** @returns also the problems, as sentences */
export function providersOf(variables: NodeJS.ProcessEnv): { providers: ProviderOptions[]; problems: string[] } {
  const groups = new Map<string, Record<string, string>>();
  const problems: string[] = [];
  for (const [variable, value] of Object.entries(variables)) {
    if (!isOfProvider(variable) || value === undefined) continue;
    const [, name, key] = form.exec(variable) ?? [];
    if (name === undefined || key === undefined) {
      problems.push(`${variable} must be OIDC_<NAME>_ and one of ${keys.join(', ')}`);
      continue;
    }
    // Empty counts as unset. The shape reports required ones.
    if (value === '' && !['ISSUER', 'CLIENT_ID'].includes(key)) continue;
    groups.set(name, { ...groups.get(name), [key]: value });
  }
  const providers: ProviderOptions[] = [];
  for (const [name, values] of [...groups].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const { data: env, error } = shape.safeParse(values);
    for (const { path, message } of error?.issues ?? [])
      problems.push(`${prefix}${name}_${String(path[0])} ${message}`);
    if (!env) continue;
    providers.push({
      name: name.toLowerCase(),
      label: env.LABEL ?? name.toLowerCase(),
      issuer: env.ISSUER,
      clientId: env.CLIENT_ID,
      clientSecret: env.CLIENT_SECRET,
      scopes: env.SCOPES,
      trustEmail: env.TRUST_EMAIL === 'on',
    });
  }
  // A path of the API has this name.
  if (providers.some(({ name }) => name === 'providers'))
    problems.push(`${prefix}PROVIDERS_ISSUER must have another name than PROVIDERS`);
  const names = providers.map(({ name }) => name);
  for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index)))
    problems.push(`${prefix}${name.toUpperCase()}_ISSUER is set twice, in different case`);
  return { providers, problems };
}
