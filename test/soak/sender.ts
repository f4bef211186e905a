import { randomUUID } from 'node:crypto';
import { isReplayed } from '../idempotency/keyed.ts';
import { type Answer, Client } from '../kit/client.ts';
import { pause } from '../kit/pause.ts';
import type { FindService } from './connection.ts';
import type { Person } from './people.ts';
import { type Request, sendRequest } from './requests.ts';

/** A write that was answered, however often it had to be sent. */
export interface Answered {
  request: Request;
  /** Its idempotency key. */
  key: string;
  userId: string;
  /** Whether it was answered with success; else it was refused, and nothing of it may be there. */
  isDone: boolean;
  /** What it leaves in all that it writes, and no other write does. */
  mark?: string | undefined;
  /** Id of what it deletes. */
  deletes?: string | undefined;
  /** Id of what it makes. */
  madeId?: string | undefined;
}

/** A write before it is sent. */
export type Deed = Pick<Answered, 'request' | 'mark' | 'deletes'>;

/** What either API answers, as far as it is looked at: REST names fields in `errors`, GraphQL codes. */
interface Body {
  errors?: { extensions?: { code: string } }[];
  data?: object | null;
  /** Tasks that a bulk update has updated. */
  todos?: number;
}

/** Milliseconds after which a client that was not answered well tries again. */
const pauseMs = 50;
/** How many of a hundred answers count as lost by the client, which retries. */
const lostOfHundred = 3;

const isAgain = ({ status, body }: Answer<Body>) =>
  status >= 500 ||
  status === 409 ||
  status === 429 ||
  (body.errors ?? []).some(({ extensions }) =>
    ['UNAVAILABLE', 'INTERNAL', 'IDEMPOTENCY_KEY_IN_USE'].includes(extensions?.code ?? ''),
  );

/** Sends each write under a key of its own, until it is answered. */
export class Sender {
  /** Since the last checkpoint. */
  answered: Answered[] = [];
  /** Times that a write was sent again, as it had not been answered. */
  retries = 0;
  /** Answers that were those of a try before. */
  replayed = 0;
  /** Answers that were not what the same key was answered before. */
  readonly differing: string[] = [];
  readonly #find: FindService;
  readonly #random: () => number;

  /** @param random numbers from 0 up to 1, by which it is chosen what is retried */
  constructor(find: FindService, random: () => number) {
    this.#find = find;
    this.#random = random;
  }

  async send(person: Person, { request, mark, deletes }: Deed): Promise<Answered> {
    const key = randomUUID();
    const answer = await this.#untilAnswered(person, request, key);
    const isDone = isDoneBy(answer);
    // A key that was refused is free: what is asked again may be accepted.
    if (isDone && this.#random() * 100 < lostOfHundred) await this.#askAgain(person, request, key, answer);
    const answered = {
      request,
      key,
      userId: person.user.id,
      isDone,
      // A bulk update of tasks that are all out of sight is none.
      mark: isDone && answer.body.todos === 0 ? undefined : mark,
      deletes,
      madeId: isDone ? idIn(answer) : undefined,
    };
    this.answered.push(answered);
    return answered;
  }

  async #untilAnswered(person: Person, request: Request, key: string): Promise<Answer<Body>> {
    for (;;) {
      const { url } = await this.#find();
      const headers = { 'Idempotency-Key': key };
      const answer = await sendRequest<Body>(new Client(url, person.cookie), request, headers).catch(() => undefined);
      if (answer && isReplayed(answer)) this.replayed += 1;
      if (answer && !isAgain(answer)) return answer;
      this.retries += 1;
      await pause(pauseMs);
    }
  }

  async #askAgain(person: Person, request: Request, key: string, first: Answer<Body>): Promise<void> {
    const again = await this.#untilAnswered(person, request, key);
    const isSame = first.status === again.status && JSON.stringify(first.body) === JSON.stringify(again.body);
    if (!isReplayed(again) || !isSame) this.differing.push(key);
  }
}

const isDoneBy = ({ status, body }: Answer<Body>) => status < 300 && !body.errors;

/** The id in what is answered, by whatever name. */
function idIn({ body }: Answer<Body>): string | undefined {
  const answered = Object.values(body.data ?? body) as unknown[];
  const [made] = answered.filter((each) => typeof each === 'object') as ({ id?: string } | null)[];
  return made?.id;
}
