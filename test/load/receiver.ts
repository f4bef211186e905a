import { poll } from '../changes/stream.ts';
import { Client } from '../kit/client.ts';
import { until } from '../kit/until.ts';
import { Endpoint, type Respond, type SentMessage, verify } from '../webhooks/endpoint.ts';
import { makeWebhook } from '../webhooks/webhooks.ts';
import type { LoggedChange } from './checker.ts';
import type { FindService } from './connection.ts';
import type { RunSql } from './effects.ts';
import type { Person } from './people.ts';

/** Every so many messages, one is refused, and one is stored without a response. */
const [messagesPerRefusal, messagesPerLoss] = [20, 25];

const maxChanges = 20;

/** The receiver of a webhook. It answers as docs/programs.md demands, and checks the messages. */
export class Receiver {
  readonly person: Person;
  /** Task and time of each change, as of a follower. */
  received: string[] = [];
  delivered = 0;
  readonly #find: FindService;
  readonly #sql: RunSql;
  readonly #endpoint: Endpoint;
  #hook = { id: '', secret: '' };
  #messages = 0;
  #last: { message: SentMessage; isStored: boolean } | undefined;
  #problems: string[] = [];
  readonly #known = new Set<string>();
  /** Tasks whose update came before their creation. */
  #early: string[] = [];

  private constructor(person: Person, find: FindService, sql: RunSql, endpoint: Endpoint) {
    this.person = person;
    this.#find = find;
    this.#sql = sql;
    this.#endpoint = endpoint;
    endpoint.respond = (response, message) => {
      this.#receive(response, message);
      // They are not read again.
      endpoint.all.length = 0;
      void endpoint.next();
    };
  }

  /** Starts at the current position. The account must have no tasks. */
  static async start(person: Person, find: FindService, sql: RunSql): Promise<Receiver> {
    const receiver = new Receiver(person, find, sql, await Endpoint.open());
    const { webhook, secret } = await makeWebhook(await receiver.#client(), receiver.#endpoint.url, { maxChanges });
    receiver.#hook = { id: webhook.id, secret };
    return receiver;
  }

  /** Waits until nothing is left to send. Attempts after failures come at once. */
  async untilCaughtUp(): Promise<void> {
    const { id } = this.#hook;
    const hasAll = async () => {
      await this.#sql(
        'UPDATE webhooks SET next_at = now() WHERE id = $1 AND leased_until IS NULL AND failing_since IS NOT NULL',
        [id],
      );
      const [row] = await this.#sql<{ position: string }>('SELECT position FROM webhooks WHERE id = $1', [id]);
      const rest = await poll(await this.#client(), row?.position ?? '', 1);
      return rest.nodes.length === 0 && !rest.hasNextPage;
    };
    await until('the webhook has sent everything', () => hasAll().catch(() => false)).catch(async (error: unknown) => {
      const rows = await this.#sql('SELECT state, reason, next_at, leased_until FROM webhooks WHERE id = $1', [id]);
      this.#problems.push(`${String(error)}: ${JSON.stringify(rows)}`);
    });
  }

  /** A change of a task that is gone by the time of its message is left out. */
  leavesOut = ({ gone }: LoggedChange): boolean => gone === true;

  /** @returns problems since the last check */
  check(logged: readonly LoggedChange[]): string[] {
    const left = new Set(logged.filter(({ gone, must }) => gone || !must).map((change) => change.task_id));
    const early = this.#early.filter((task) => !left.has(task)).map((task) => `updated before created: ${task}`);
    const problems = [...this.#problems, ...early];
    [this.#problems, this.#early] = [[], []];
    return problems.map((problem) => `webhook: ${problem}`);
  }

  close(): Promise<void> {
    return this.#endpoint.close();
  }

  async #client(): Promise<Client> {
    return new Client((await this.#find()).url, this.person.cookie);
  }

  #receive(response: Parameters<Respond>[0], message: SentMessage): void {
    try {
      verify(this.#hook.secret, message);
    } catch (error) {
      this.#problems.push(`${message.id}: ${String(error)}`);
    }
    const before = this.#last?.message.id === message.id ? this.#last : undefined;
    if (before) this.#checkRepetition(before.message, message);
    this.#messages += 1;
    const isRefused = this.#messages % messagesPerRefusal === 0;
    if (!isRefused && !before?.isStored) this.#store(message);
    this.#last = { message: before?.message ?? message, isStored: !isRefused || before?.isStored === true };
    if (this.#messages % messagesPerLoss === 0) response.destroy();
    else response.writeHead(isRefused ? 503 : 204).end();
  }

  #checkRepetition(first: SentMessage, again: SentMessage): void {
    const cursors = new Set(first.changes.map(({ cursor }) => cursor));
    if (again.cursor !== first.cursor || !again.changes.every(({ cursor }) => cursors.has(cursor)))
      this.#problems.push(`${again.id} has other changes than before`);
  }

  #store({ id, changes }: SentMessage): void {
    if (changes.length === 0 || changes.length > maxChanges) this.#problems.push(`${id}: ${changes.length} changes`);
    for (const { kind, taskId, at } of changes) {
      this.received.push(`${taskId} ${at}`);
      this.delivered += 1;
      if (kind === 'created') this.#known.add(taskId);
      else if (kind === 'updated' && !this.#known.has(taskId)) this.#early.push(taskId);
    }
  }
}
