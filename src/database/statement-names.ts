import { createHash } from 'node:crypto';

const statementNames = new Map<string, string>();

/**
 * UTF-16 code units of all texts that are given names. Each connection keeps the plans of those that it has run, some
 * 200 bytes a code unit: clients' queries of ever new shapes must not fill the memory of PostgreSQL.
 */
const maxNames = 150_000;
let named = 0;

/**
 * Names a statement, so that each connection parses and plans a repeated one once. The name is a hash of the text: the same
 * name is the same statement, whichever process prepared it.
 * @returns an empty name for a text beyond those that fit
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
