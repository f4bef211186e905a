import type { Client } from '../kit/client.ts';
import type { ListedTask } from '../kit/make.ts';
import { seededRandom } from '../kit/random.ts';
import type { Person } from '../soak/people.ts';
import { sendRequest } from '../soak/requests.ts';
import { nextWrite, type Row, type Write } from './writes.ts';

/**
 * Outcome of a write as the client sees it:
 *
 * - `acknowledged`: it took effect.
 * - `refused`: it had no effect.
 * - `unsent`: the connection was refused, so it had no effect.
 * - `unavailable`: 503. It may have taken effect, if the database failed just after the commit.
 * - `lost`: no response from the service. It may have taken effect.
 */
export type Outcome = 'acknowledged' | 'refused' | 'unsent' | 'unavailable' | 'lost';

export interface FoundRow extends Row {
  sortKey: string;
}

type RowsById = ReadonlyMap<string, FoundRow>;

interface UncertainWrite {
  write: Write;
  outcome: Outcome;
}

export interface Resolved {
  unavailableWritten: number;
  lostWritten: number;
  notWritten: number;
}

/** A client that sends one write after the other and tracks the expected state. */
export class Writer {
  readonly problems: string[] = [];
  readonly #person: Person;
  readonly #name: string;
  readonly #random: () => number;
  readonly #rows = new Map<string, Row>();
  /** Tasks whose state is uncertain, because of a write to them or near them. The writer leaves them alone. */
  readonly #set = new Set<string>();
  #uncertain: UncertainWrite[] = [];
  #count = 0;

  constructor(person: Person, name: string, seed: string) {
    this.#person = person;
    this.#name = name;
    this.#random = seededRandom(`${seed} ${name}`);
  }

  get person(): Person {
    return this.#person;
  }

  async write(client: Client): Promise<Outcome> {
    const number = (this.#count += 1);
    const rows = new Map([...this.#rows].filter(([id]) => !this.#set.has(id)));
    const mark = `${this.#name}-${number}`;
    const write = nextWrite({ person: this.#person, rows, random: this.#random, mark, number });
    const { outcome, createdId } = await this.#send(client, write);
    this.#settle(write, outcome, createdId);
    return outcome;
  }

  get ids(): Iterable<string> {
    return this.#rows.keys();
  }

  /**
   * An uncertain write must have taken effect as a whole or not at all.
   * @param rowsById tasks of the user by id
   */
  check(rowsById: RowsById): Resolved {
    const resolved = { unavailableWritten: 0, lostWritten: 0, notWritten: 0 };
    for (const { write, outcome } of this.#uncertain.splice(0)) {
      const isApplied = this.#look(write, rowsById);
      if (!isApplied) resolved.notWritten += 1;
      else resolved[outcome === 'lost' ? 'lostWritten' : 'unavailableWritten'] += 1;
    }
    this.#set.clear();
    for (const [id, row] of this.#rows) {
      const found = rowsById.get(id);
      if (!found) this.problems.push(`lost: ${id} of the acknowledged write ${row.title}`);
      else if (!isSame(row, found, rowsById)) this.problems.push(`not as acknowledged: ${compareText(row, found)}`);
    }
    return resolved;
  }

  async #send(client: Client, { request, mustFail }: Write): Promise<{ outcome: Outcome; createdId?: string }> {
    // A timeout is a DOMException of another realm, not an instance of the tests' `Error`.
    const answer = await sendRequest<ResponseBody>(client, request).catch((error: unknown) => ({
      error: error as Error,
    }));
    if ('error' in answer) {
      const { code } = (answer.error.cause ?? {}) as NodeJS.ErrnoException;
      if (code === 'ECONNREFUSED') return { outcome: 'unsent' };
      if (answer.error.name === 'TimeoutError') this.problems.push(`no answer in time: ${JSON.stringify(request)}`);
      return { outcome: 'lost' };
    }
    const code = answer.body.errors?.[0]?.extensions?.code ?? answer.body.code;
    if (answer.status === 503 || code === 'UNAVAILABLE') return { outcome: 'unavailable' };
    if (code === undefined && answer.status < 300 && !mustFail) {
      return { outcome: 'acknowledged', createdId: (answer.body.todo ?? answer.body.data?.createTask)?.id };
    }
    if (mustFail && code === 'VALIDATION_FAILED') return { outcome: 'refused' };
    this.problems.push(`answered ${answer.status}: ${JSON.stringify(answer.body)} to ${JSON.stringify(request)}`);
    return { outcome: 'lost' };
  }

  #settle(write: Write, outcome: Outcome, createdId?: string): void {
    if (outcome === 'acknowledged') this.#apply(write, createdId);
    // A write that must be refused has no effect under any outcome. The final check finds any.
    if (write.mustFail || !isUncertain(outcome)) return;
    this.#uncertain.push({ write, outcome });
    const affectedIds = [...write.before.keys(), ...(write.created?.parentId ? [write.created.parentId] : [])];
    for (const id of affectedIds) {
      const root = this.#rows.get(id)?.parentId ?? id;
      for (const [each, { parentId }] of this.#rows) if (each === root || parentId === root) this.#set.add(each);
    }
  }

  #apply({ before, after, created }: Write, createdId?: string): void {
    for (const [id, row] of after) {
      const previous = before.get(id);
      // The expected sibling may have been forgotten since the write was planned.
      const precedingId =
        previous?.precedingId === row?.precedingId ? this.#rows.get(id)?.precedingId : row?.precedingId;
      if (row === null) this.#rows.delete(id);
      else this.#rows.set(id, { ...row, precedingId });
      if (previous?.projectId === row?.projectId && previous?.precedingId === row?.precedingId) continue;
      this.#forgetFollowing(id);
    }
    if (created && createdId !== undefined) this.#rows.set(createdId, created);
  }

  /** Forgets the order behind a moved task. Uncertain writes still hold the old rows. */
  #forgetFollowing(id: string): void {
    for (const [each, row] of this.#rows)
      if (row.precedingId === id) this.#rows.set(each, { ...row, precedingId: undefined });
  }

  /** Reports a partial effect as a problem. */
  #look(write: Write, rowsById: RowsById): boolean {
    const { before, after, created } = write;
    const matches = (rows: ReadonlyMap<string, Row | null>) =>
      [...rows].every(([id, row]) => {
        const found = rowsById.get(id);
        return row === null
          ? found === undefined
          : found !== undefined && isSame({ ...row, precedingId: undefined }, found, rowsById);
      });
    const added = created ? [...rowsById].filter(([, { mark }]) => mark === created.mark) : [];
    const [first] = added;
    if (added.length > 1) this.problems.push(`there ${added.length} times: ${first?.[1].mark}`);
    const isAdded = first !== undefined && created !== undefined && isSame(created, first[1], rowsById);
    const isUnapplied = created ? first === undefined : matches(before);
    const isApplied = created ? isAdded : matches(after);
    if (isUnapplied && isApplied) {
      // The task may have been behind the other before too, so its position is unknown.
      for (const id of before.keys()) {
        const row = this.#rows.get(id);
        if (row) this.#rows.set(id, { ...row, precedingId: undefined });
        this.#forgetFollowing(id);
      }
    }
    if (isUnapplied) return false;
    if (isApplied) this.#apply(write, first?.[0]);
    else this.problems.push(`written by half: ${JSON.stringify(write.request)}`);
    return isApplied;
  }
}

export const isUncertain = (outcome: Outcome) => outcome === 'unavailable' || outcome === 'lost';

interface ResponseBody {
  code?: string;
  errors?: { extensions?: { code: string } }[];
  todo?: { id: string };
  data?: { createTask?: { id: string } } | null;
}

function isSame({ precedingId, ...expected }: Row, found: FoundRow, rowsById: RowsById): boolean {
  const sibling = precedingId === undefined ? undefined : rowsById.get(precedingId);
  return (
    Object.entries(expected).every(
      ([name, value]) => JSON.stringify(value) === JSON.stringify(found[name as keyof Row]),
    ) &&
    (sibling === undefined || sibling.sortKey < found.sortKey)
  );
}

const compareText = (expected: Row, found: FoundRow) => `${JSON.stringify(expected)} is ${JSON.stringify(found)}`;

/** @throws if the list is not served */
export async function listedRows(client: Client): Promise<Map<string, FoundRow>> {
  const { status, body } = await client.get<{ todos: ListedTask[] }>('/api/v2/todo');
  if (status !== 200) throw new Error(`the list answers ${status}: ${JSON.stringify(body)}`);
  return new Map(
    body.todos.map((task) => [
      task.id,
      {
        mark: task.description ?? '',
        title: task.title,
        priority: task.priority ?? '',
        dueDate: task.dueDate ?? '',
        completed: task.completed,
        color: task.color,
        tags: task.tags.map(({ id }) => id).sort(),
        projectId: task.projectId,
        parentId: task.parentId,
        sortKey: task.sortKey,
      },
    ]),
  );
}
