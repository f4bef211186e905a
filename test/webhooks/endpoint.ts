import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { withTimeout } from '../kit/until.ts';
import type { RestTask } from '../kit/make.ts';

export interface SentChange {
  cursor: string;
  kind: string;
  taskId: string;
  changedFields: string[];
  operationId: string;
  at: string;
  task: RestTask | null;
  actorId: string | null;
  client: string | null;
}

export interface SentMessage {
  id: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  type: string;
  timestamp: string;
  changes: SentChange[];
  cursor: string;
  webhookId: string;
}

export type Respond = (response: ServerResponse, message: SentMessage) => void;

/** The receiver of messages: a real HTTP server, which keeps them in order. */
export class Endpoint {
  readonly all: SentMessage[] = [];
  respond: Respond = (response) => response.writeHead(204).end();
  readonly #server: Server;
  readonly #unread: SentMessage[] = [];
  #arrived = () => {};

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Endpoint> {
    const server = createServer();
    const endpoint = new Endpoint(server);
    server.on('request', (request, response: ServerResponse) => {
      void text(request).then((body) => {
        const { type, timestamp, data } = JSON.parse(body) as {
          type: string;
          timestamp: string;
          data: { webhookId: string; changes?: SentChange[]; cursor?: string };
        };
        const { changes = [], cursor = '', webhookId } = data;
        const id = String(request.headers['webhook-id']);
        const path = request.url ?? '';
        const message = { id, path, headers: request.headers, body, type, timestamp, changes, cursor, webhookId };
        endpoint.all.push(message);
        endpoint.#unread.push(message);
        endpoint.respond(response, message);
        endpoint.#arrived();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Waits for the next message. */
  async next(): Promise<SentMessage> {
    for (;;) {
      const message = this.#unread.shift();
      if (message) return message;
      await withTimeout('a message', new Promise<void>((resolve) => (this.#arrived = resolve)));
    }
  }

  /** Takes messages until they have so many changes. */
  async nextChanges(count: number): Promise<SentChange[]> {
    const changes: SentChange[] = [];
    while (changes.length < count) changes.push(...(await this.next()).changes);
    return changes;
  }

  get unread(): number {
    return this.#unread.length;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Verifies a message by the reference implementation of Standard Webhooks. @throws if the signature is wrong */
export const verify = (secret: string, { body, headers }: SentMessage): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);
