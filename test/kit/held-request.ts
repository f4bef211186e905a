import { type ClientRequest, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Client } from './client.ts';
import { nextCompletion } from './statements.ts';

export interface HeldResponse {
  status: number;
  cookies: string[];
  body: unknown;
}

/** A request that holds back its body until the test sends it. By then the service has looked up the session. */
export class HeldRequest {
  readonly #sent: ClientRequest;
  readonly #answer: Promise<HeldResponse>;

  private constructor(outgoing: ClientRequest, responsePromise: Promise<HeldResponse>) {
    this.#sent = outgoing;
    this.#answer = responsePromise;
  }

  static async open(
    { url }: { url: string },
    client: Client,
    method: string,
    path: string,
    { firstPart, headers = {} }: { firstPart?: string | Uint8Array; headers?: Record<string, string> } = {},
  ): Promise<HeldRequest> {
    const lookUp = nextCompletion('loadCredential');
    const outgoing = request(`${url}${path}`, {
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
    const responsePromise = new Promise<HeldResponse>((resolve, reject) => {
      outgoing.on('error', reject).on('response', (response) => {
        text(response).then((body) => {
          const { statusCode = 0, headers: responseHeaders } = response;
          resolve({
            status: statusCode,
            cookies: responseHeaders['set-cookie'] ?? [],
            body: JSON.parse(body) as unknown,
          });
        }, reject);
      });
    });
    responsePromise.catch(() => undefined);
    outgoing.flushHeaders();
    if (firstPart !== undefined) outgoing.write(firstPart);
    await lookUp;
    // Once this request is answered, the effects of the look-up are complete.
    await fetch(`${url}/readyz`);
    return new HeldRequest(outgoing, responsePromise);
  }

  finish(rest: string | Uint8Array): Promise<HeldResponse> {
    this.#sent.end(rest);
    return this.#answer;
  }
}
