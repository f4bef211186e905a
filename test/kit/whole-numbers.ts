import { parseArgs } from 'node:util';

/**
 * Options of the command line with whole numbers, such as `--seed 7`.
 * @param defaults of all options
 * @throws Error for other options and values: a run of NaN requests would find no fault
 */
export function wholeNumbers<Name extends string>(defaults: Readonly<Record<Name, number>>): Record<Name, number> {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' }] as const));
  const given = Object.entries(parseArgs({ options }).values).map(([name, value]) => {
    if (!/^\d+$/.test(String(value))) throw new Error(`--${name} takes a whole number`);
    return [name, Number(value)] as const;
  });
  return { ...defaults, ...Object.fromEntries(given) };
}
