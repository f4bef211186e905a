import { type ClientRequest, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Client } from './client.ts';
import { nextAnswer } from './statements.ts';

export interface HeldAnswer {
  status: number;
  cookies: string[];
  body: unknown;
}

/** A request that holds back its body until the test sends it. By then the service has looked up the session. */
export class HeldRequest {
  readonly #sent: ClientRequest;
  readonly #answer: Promise<HeldAnswer>;

  private constructor(sent: ClientRequest, answer: Promise<HeldAnswer>) {
    this.#sent = sent;
    this.#answer = answer;
  }

  static async open(
    { url }: { url: string },
    client: Client,
    method: string,
    path: string,
    { beginning, headers = {} }: { beginning?: string | Uint8Array; headers?: Record<string, string> } = {},
  ): Promise<HeldRequest> {
    const lookedUp = nextAnswer('loadCredential');
    const sent = request(`${url}${path}`, {
      method,
      agent: false,
      headers: {
        'Content-Type': 'application/json',
        Cookie: client.cookie,
        // By default, Node sends no framing for this method.
        ...(method === 'DELETE' && { 'Transfer-Encoding': 'chunked' }),
        ...headers,
      },
    });
    const answer = new Promise<HeldAnswer>((resolve, reject) => {
      sent.on('error', reject).on('response', (response) => {
        text(response).then((body) => {
          const { statusCode = 0, headers: answered } = response;
          resolve({ status: statusCode, cookies: answered['set-cookie'] ?? [], body: JSON.parse(body) as unknown });
        }, reject);
      });
    });
    answer.catch(() => undefined);
    sent.flushHeaders();
    if (beginning !== undefined) sent.write(beginning);
    await lookedUp;
    // Once this request is answered, the effects of the look-up are complete.
    await fetch(`${url}/readyz`);
    return new HeldRequest(sent, answer);
  }

  finish(rest: string | Uint8Array): Promise<HeldAnswer> {
    this.#sent.end(rest);
    return this.#answer;
  }
}
