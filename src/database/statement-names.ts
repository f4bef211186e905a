import { createHash } from 'node:crypto';

const statementNames = new Map<string, string>();

/**
 * Total length of named statements, in UTF-16 code units. Each connection keeps their plans, about 200 bytes per code
 * unit. Clients' queries must not fill PostgreSQL's memory.
 */
const maxNames = 150_000;
let named = 0;

/**
 * A hash, so all processes behind a pooler use the same name.
 * @returns '' if no more names fit
 */
export function statementName(text: string): string {
  const known = statementNames.get(text);
  if (known) return known;
  if (named + text.length > maxNames) return '';
  const name = `taskgate_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  statementNames.set(text, name);
  named += text.length;
  return name;
}
