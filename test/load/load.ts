import { randomUUID } from 'node:crypto';
import { isReplayed } from '../idempotency/keyed.ts';
import { type Answer, Client } from '../kit/client.ts';
import { pause } from '../kit/pause.ts';
import { seededRandom } from '../kit/random.ts';
import { until } from '../kit/until.ts';
import { type ActionContext, CreatedIds, createMarks, runRandomAction } from './acts.ts';
import type { FindService } from './connection.ts';
import type { Person, Team } from './people.ts';
import { type Request, sendRequest } from './requests.ts';

/**
 * Outcome of a write as the client sees it:
 *
 * - `acknowledged`: it took effect.
 * - `refused`: it had no effect.
 * - `unsent`: the connection was refused, so it had no effect.
 * - `unknown`: 503 or no response. It may have taken effect.
 */
export type Outcome = 'acknowledged' | 'refused' | 'unsent' | 'unknown';

export interface Columns {
  title?: string;
  completed?: boolean;
  tags?: readonly string[];
}

export interface WriteRequest {
  request: Request;
  /** A unique mark in the written entities. */
  mark?: string | undefined;
  deletes?: string | undefined;
  /** Whether the person's agent sends the write, by its access token. */
  isByAgent?: boolean;
  /** The fence of a claim, without which the write must do nothing. */
  fence?: string | undefined;
  /** Other columns of the written tasks. `tags`: ids of tags of the user. */
  columns?: Columns | undefined;
}

export interface SentWrite extends WriteRequest {
  /** Idempotency key. */
  key?: string | undefined;
  person: Pick<Person, 'tags'> & { user: { id: string } };
  outcome: Outcome;
  createdId?: string | undefined;
  /** Made or renewed by an acknowledged write. */
  claim?: MadeClaim | undefined;
  /** Of an acknowledged write that changed something. */
  operationId?: string | undefined;
}

export interface MadeClaim {
  fence: string;
  taskId: string;
}

interface LoadOptions {
  seed: number;
  /** Number of writers, who each send one write after the other. */
  writers: number;
  /** Each write is repeated under an idempotency key until it has a response. Otherwise it is sent once. */
  isKeyed: boolean;
  act?: (context: ActionContext) => Promise<unknown>;
}

/** REST lists fields in `errors`, GraphQL codes. */
interface Body {
  code?: string;
  errors?: { extensions?: { code: string } }[];
  data?: object | null;
  claim?: MadeClaim | null;
  /** Number of tasks that a bulk update changed. */
  todos?: number;
}

/** Milliseconds between attempts. */
const pauseMs = 50;
/** Percentage of responses that the client pretends to lose. */
const lostPercent = 3;

const codesOf = ({ body }: Answer<Body>) => [body.code, ...(body.errors ?? []).map((each) => each.extensions?.code)];
const hasCode = (answer: Answer<Body>, codes: string[]) => codesOf(answer).some((code) => codes.includes(code ?? ''));
const isUnavailable = (answer: Answer<Body>) => answer.status >= 500 || hasCode(answer, ['UNAVAILABLE', 'INTERNAL']);
const isInUse = (answer: Answer<Body>) => answer.status === 429 || hasCode(answer, ['IDEMPOTENCY_KEY_IN_USE']);
const isSuccess = ({ status, body }: Answer<Body>) => status < 300 && !body.errors;

/** Random writes of a team, with the outcome of each. */
export class Load {
  readonly counts: Record<Outcome, number> = { acknowledged: 0, refused: 0, unsent: 0, unknown: 0 };
  readonly sentWrites: SentWrite[] = [];
  retries = 0;
  replayed = 0;
  /** Late and unexpected responses, and responses that differ from an earlier one to the same key. */
  readonly problems: string[] = [];
  readonly writers: number;
  /** Times of acknowledgements. */
  readonly #times: number[] = [];
  readonly #team: Team;
  readonly #find: FindService;
  readonly #isKeyed: boolean;
  readonly #act: (context: ActionContext) => Promise<unknown>;
  readonly #random: () => number;
  readonly #createdIds = new CreatedIds();
  readonly #nextMark = createMarks();
  #isPaused = false;
  #running: Promise<unknown> = Promise.resolve();
  #failure: Error | undefined;

  constructor(team: Team, find: FindService, { seed, writers, isKeyed, act = runRandomAction }: LoadOptions) {
    this.#team = team;
    this.#find = find;
    this.writers = writers;
    this.#isKeyed = isKeyed;
    this.#act = act;
    this.#random = seededRandom(`${seed} writes`);
  }

  start(): void {
    this.#isPaused = false;
    const writers = Array.from({ length: this.writers }, () => this.#work());
    this.#running = Promise.all(writers).catch((error: unknown) => (this.#failure = error as Error));
  }

  /** Settles when all sent writes have an outcome. A service must be running. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#running;
    this.#throwFailure();
  }

  /** Waits for this number of further writes. */
  async until(outcomes: readonly Outcome[], count: number): Promise<void> {
    const sum = () => outcomes.reduce((total, outcome) => total + this.counts[outcome], 0);
    const target = sum() + count;
    await until(`${count} writes are ${outcomes.join(' or ')}`, () => {
      this.#throwFailure();
      return sum() >= target;
    });
  }

  /** Milliseconds: the longest time without an acknowledged write, from the last one before `moment`. */
  longestPauseSince(moment: number): number {
    const first = this.#times.findLastIndex((time) => time < moment);
    const times = this.#times.slice(Math.max(0, first));
    return Math.max(0, ...times.slice(1).map((time, index) => time - (times[index] ?? time)));
  }

  readonly send = async (person: Person, write: WriteRequest): Promise<SentWrite> => {
    const key = this.#isKeyed ? randomUUID() : undefined;
    const { outcome, answer } = await this.#untilAnswered(person, write, key);
    // A refusal frees the key, so a repeated request may succeed.
    if (key !== undefined && outcome === 'acknowledged' && this.#random() * 100 < lostPercent)
      await this.#askAgain(person, write, key, answer);
    this.counts[outcome] += 1;
    if (outcome === 'acknowledged') this.#times.push(performance.now());
    const hasNoEffect = outcome === 'acknowledged' && answer?.body.todos === 0;
    const sentWrite: SentWrite = {
      ...write,
      key,
      person,
      outcome,
      // A bulk update of invisible tasks only.
      mark: hasNoEffect ? undefined : write.mark,
      claim: (outcome === 'acknowledged' && answer?.body.claim) || undefined,
      createdId: outcome === 'acknowledged' && answer ? idOf(answer) : undefined,
      operationId: (outcome === 'acknowledged' && answer?.headers.get('x-operation-id')) || undefined,
    };
    this.sentWrites.push(sentWrite);
    return sentWrite;
  };

  async #work(): Promise<void> {
    const { members, guests } = this.#team;
    const people = [...members, ...guests];
    const { send } = this;
    while (!this.#isPaused) {
      const person = people[Math.floor(this.#random() * people.length)] ?? members[0];
      const before = this.counts.unsent + this.counts.unknown;
      const shared = { team: this.#team, createdIds: this.#createdIds, random: this.#random, send };
      await this.#act({ ...shared, person, mark: this.#nextMark() });
      if (this.counts.unsent + this.counts.unknown > before) await pause(pauseMs);
    }
  }

  async #untilAnswered(person: Person, write: WriteRequest, key?: string) {
    for (;;) {
      const { outcome, answer } = await this.#attempt(person, write, key);
      if (key === undefined || outcome === 'acknowledged' || outcome === 'refused') return { outcome, answer };
      this.retries += 1;
      await pause(pauseMs);
    }
  }

  async #attempt(
    person: Person,
    { request, fence, isByAgent = false }: WriteRequest,
    key?: string,
  ): Promise<{ outcome: Outcome; answer?: Answer<Body> }> {
    const { url } = await this.#find();
    const headers = {
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...(fence !== undefined && { 'X-Claim-Fence': fence }),
      ...(isByAgent && { Authorization: `Bearer ${person.token}` }),
    };
    const client = new Client(url, isByAgent ? undefined : person.cookie);
    // A timeout is a DOMException of another realm, not an instance of the tests' `Error`.
    const answer = await sendRequest<Body>(client, request, headers).catch((error: unknown) => error as Error);
    if (!('status' in answer)) {
      if (answer.name === 'TimeoutError' && !this.#isKeyed)
        this.problems.push(`late: no answer in time to ${JSON.stringify(request)}`);
      const { code } = (answer.cause ?? {}) as NodeJS.ErrnoException;
      return { outcome: code === 'ECONNREFUSED' ? 'unsent' : 'unknown' };
    }
    if (isReplayed(answer)) this.replayed += 1;
    if (isUnavailable(answer)) {
      const isInternal = hasCode(answer, ['INTERNAL']);
      const isExpected = (this.#isKeyed && !isInternal) || answer.status === 503 || hasCode(answer, ['UNAVAILABLE']);
      if (!isExpected)
        this.problems.push(`answered ${answer.status} to ${JSON.stringify(request)}: ${JSON.stringify(answer.body)}`);
      // Under a key it had no effect, and each repetition would fail.
      return { outcome: this.#isKeyed && isInternal ? 'refused' : 'unknown', answer };
    }
    if (key !== undefined && isInUse(answer)) return { outcome: 'unknown', answer };
    return { outcome: isSuccess(answer) ? 'acknowledged' : 'refused', answer };
  }

  async #askAgain(person: Person, write: WriteRequest, key: string, first?: Answer<Body>): Promise<void> {
    const { answer } = await this.#untilAnswered(person, write, key);
    const isSame = first?.status === answer?.status && JSON.stringify(first?.body) === JSON.stringify(answer?.body);
    if (!answer || !isReplayed(answer) || !isSame) this.problems.push(`differing: ${key}`);
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure;
  }
}

function idOf({ body }: Answer<Body>): string | undefined {
  const values = Object.values(body.data ?? body) as unknown[];
  const [created] = values.filter((each) => typeof each === 'object') as ({ id?: string } | null)[];
  return created?.id;
}
