import { environment } from '../src/config/variables.ts';
import { secretVariables } from '../src/config/secret-files.ts';

/** Environment variables with their defaults and descriptions. */
const variables = Object.entries(environment.shape).map(([name, schema]) => ({
  name,
  value: written(schema.parse(undefined)),
  description: `${schema.description ?? ''}${secretVariables.includes(name) ? ` Or ${name}_FILE: a file that has it.` : ''}`,
}));

function written(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object' && value !== null) return Object.values(value).join('/');
  return typeof value === 'string' ? value : JSON.stringify(value ?? '').replaceAll('"', '');
}

/** Returns the content of `.env.example`. */
export function environmentExample(): string {
  const head = [
    '# Every variable with its default; an empty one counts as unset. The service reads its environment, not',
    '# this file: copy it to .env and start with `node --env-file=.env dist/src/process/main.js`.',
  ];
  const quoted = (value: string) => (value.includes(' ') ? `"${value}"` : value);
  const entries = variables.map(({ name, value, description }) => `\n# ${description}\n${name}=${quoted(value)}`);
  return `${[...head, ...entries].join('\n')}\n`;
}

const configurationTable = (): string =>
  table(
    ['variable', 'default', 'meaning'],
    variables.map(({ name, value, description }) => [code(name), value && code(value), description]),
  );

const code = (text: string) => `\`${text}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const tables: Record<string, () => string> = { configuration: configurationTable };

/**
 * Fills the tables of a page, each between `<!-- table: NAME -->` and `<!-- end -->`.
 * @throws if the page names an unknown table
 */
export const withTables = (page: string): string =>
  page.replaceAll(/(<!-- table: (\S+) -->).*?(<!-- end -->)/gs, (_, begin: string, name: string, end: string) => {
    const print = tables[name];
    if (!print) throw new Error(`there is no table ${name}`);
    return `${begin}\n\n${print()}\n\n${end}`;
  });
