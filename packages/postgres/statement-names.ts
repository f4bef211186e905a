import { createHash } from 'node:crypto';
import { raw } from '@prisma/client/runtime/client';

/**
 * Total length of named statements, in UTF-16 code units. Each connection keeps their plans, about 200 bytes per code
 * unit. Clients' queries must not fill PostgreSQL's memory.
 */
const maxLength = 150_000;

/**
 * A comment for statements over a table that is empty at one moment and large at the next. Without a name, each
 * execution is planned for the current size.
 */
export const plannedEachTime = raw('/* planned each time */');

/** Names of the statements of all connections to a database. */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #length = 0;

  /**
   * A hash, so all processes behind a pooler use the same name.
   * @returns '' if no more names fit, and for {@link plannedEachTime}
   */
  nameOf(text: string): string {
    const existing = this.#names.get(text);
    if (existing) return existing;
    if (this.#length + text.length > maxLength || text.includes(plannedEachTime.sql)) return '';
    const name = `taskgate_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    this.#names.set(text, name);
    this.#length += text.length;
    return name;
  }
}
