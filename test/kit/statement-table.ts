import { expect } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Statement } from './statements.ts';

interface TableRow {
  /** Status of REST, or type of GraphQL. */
  result: number | string;
  /** With BEGIN and COMMIT, without the statements of sessions. A list takes as many for one row as for several. */
  statements: number;
  /** Statements that insert, update or delete. */
  writes?: number;
  transactions?: number;
  /** More statements for each further workspace. */
  perWorkspace?: number;
}

/** Each list and each write of REST and GraphQL, with its result and its statements. */
export const statementTable = JSON.parse(readFileSync('test/platform/statements.json', 'utf8')) as Record<
  string,
  TableRow
>;

const isWrite = ({ sql }: Statement) => /\b(INSERT\s+INTO|DELETE\s+FROM|UPDATE\s+\S+\s+(AS\s+\w+\s+)?SET)\b/.test(sql);
const isBegin = ({ sql }: Statement) => /^BEGIN\b/.test(sql);

/** Also fails if a request takes fewer statements, which keeps the table true. */
export function expectTableRow(name: string, result: TableRow['result'], own: readonly Statement[]): void {
  const [writes, transactions] = [own.filter(isWrite).length, own.filter(isBegin).length];
  const known = statementTable[name];
  const row = {
    result,
    statements: own.length,
    writes: writes || undefined,
    transactions: transactions || undefined,
    perWorkspace: known?.perWorkspace,
  };
  expect({ [name]: row }).toEqual({ [name]: known });
}
