import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Client } from '../kit/client.ts';
import { pause } from '../kit/pause.ts';
import { Load } from './load.ts';

/** Milliseconds between attempts. */
const pauseMs = 50;

/** Users who create tasks on kept connections. `acknowledged` has the titles. */
export class KeepAliveWriters extends Load<string> {
  readonly name: string;
  /** Status or error code of each failed attempt. The client then retries the write under its idempotency key. */
  readonly failures: (number | string)[] = [];
  readonly #url: string;
  readonly #users: readonly Client[];
  #count = 0;

  constructor(name: string, url: string, users: readonly Client[]) {
    super();
    this.name = name;
    this.#url = url;
    this.#users = users;
  }

  protected override writers(): Promise<void>[] {
    return this.#users.map((user) => this.#work(user));
  }

  async #work(user: Client): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!this.isPaused) {
      const title = `${this.name} ${(this.#count += 1)}`;
      const key = randomUUID();
      for (let outcome; (outcome = await this.#send(agent, user, title, key)) !== 201; await pause(pauseMs)) {
        this.failures.push(outcome);
      }
      this.acknowledged.push(title);
    }
    agent.destroy();
  }

  #send(agent: Agent, { cookie }: Client, title: string, key: string): Promise<number | string> {
    const headers = { Cookie: cookie, 'Content-Type': 'application/json', 'Idempotency-Key': key };
    return new Promise((resolve) => {
      const sent = request(`${this.#url}/api/v2/todo`, { agent, method: 'POST', headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
        response.once('error', ({ message }) => resolve(message));
      });
      sent.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      sent.end(JSON.stringify({ title }));
    });
  }
}
