import { randomUUID } from 'node:crypto';
import { isReplayed } from '../idempotency/keyed.ts';
import { type Answer, Client } from '../kit/client.ts';
import { pause } from '../kit/pause.ts';
import type { FindService } from './connection.ts';
import type { Person } from './people.ts';
import { type Request, sendRequest } from './requests.ts';

export interface SentWrite {
  request: Request;
  /** Idempotency key. */
  key: string;
  userId: string;
  /** A refused write must have no effect. */
  isDone: boolean;
  /** A unique mark in the written entities. */
  mark?: string | undefined;
  deletes?: string | undefined;
  createdId?: string | undefined;
}

export type WriteRequest = Pick<SentWrite, 'request' | 'mark' | 'deletes'>;

/** REST lists fields in `errors`, GraphQL codes. */
interface Body {
  errors?: { extensions?: { code: string } }[];
  data?: object | null;
  /** Number of tasks that a bulk update changed. */
  todos?: number;
}

const pauseMs = 50;
/** Percentage of responses that the client pretends to lose. */
const lostPercent = 3;

const isRetryable = ({ status, body }: Answer<Body>) =>
  status >= 500 ||
  status === 409 ||
  status === 429 ||
  (body.errors ?? []).some(({ extensions }) =>
    ['UNAVAILABLE', 'INTERNAL', 'IDEMPOTENCY_KEY_IN_USE'].includes(extensions?.code ?? ''),
  );

/** Repeats each write under its key until it gets a response. */
export class Sender {
  sentWrites: SentWrite[] = [];
  retries = 0;
  replayed = 0;
  /** Responses that differ from an earlier one to the same key. */
  readonly differingKeys: string[] = [];
  readonly #find: FindService;
  readonly #random: () => number;

  constructor(findService: FindService, random: () => number) {
    this.#find = findService;
    this.#random = random;
  }

  async send(person: Person, { request, mark, deletes }: WriteRequest): Promise<SentWrite> {
    const key = randomUUID();
    const answer = await this.#untilAnswered(person, request, key);
    const isDone = isSuccess(answer);
    // A refusal frees the key, so a repeated request may succeed.
    if (isDone && this.#random() * 100 < lostPercent) await this.#askAgain(person, request, key, answer);
    const sentWrite = {
      request,
      key,
      userId: person.user.id,
      isDone,
      // A bulk update of invisible tasks only has no effect.
      mark: isDone && answer.body.todos === 0 ? undefined : mark,
      deletes,
      createdId: isDone ? idOf(answer) : undefined,
    };
    this.sentWrites.push(sentWrite);
    return sentWrite;
  }

  async #untilAnswered(person: Person, request: Request, key: string): Promise<Answer<Body>> {
    for (;;) {
      const { url } = await this.#find();
      const headers = { 'Idempotency-Key': key };
      const answer = await sendRequest<Body>(new Client(url, person.cookie), request, headers).catch(() => undefined);
      if (answer && isReplayed(answer)) this.replayed += 1;
      if (answer && !isRetryable(answer)) return answer;
      this.retries += 1;
      await pause(pauseMs);
    }
  }

  async #askAgain(person: Person, request: Request, key: string, first: Answer<Body>): Promise<void> {
    const repeated = await this.#untilAnswered(person, request, key);
    const isSame = first.status === repeated.status && JSON.stringify(first.body) === JSON.stringify(repeated.body);
    if (!isReplayed(repeated) || !isSame) this.differingKeys.push(key);
  }
}

const isSuccess = ({ status, body }: Answer<Body>) => status < 300 && !body.errors;

function idOf({ body }: Answer<Body>): string | undefined {
  const sentWrite = Object.values(body.data ?? body) as unknown[];
  const [created] = sentWrite.filter((each) => typeof each === 'object') as ({ id?: string } | null)[];
  return created?.id;
}
