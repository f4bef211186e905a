import { fetchAs } from './kit.ts';

interface SentOperation {
  query: string;
  extensions: { idempotencyKey: string };
}

/** A network that can be cut, as the client of a user sees it. */
export class Network {
  isCut = false;
  /** Mutations that came through, in their order. */
  readonly sent: { query: string; key: string }[] = [];
  /** How many requests they came in. */
  requests = 0;
  /** Called before an answer to mutations is handed on: what it throws is what the client sees. */
  beforeAnswer: () => Promise<void> | void = () => undefined;
  readonly fetch: typeof fetch;

  /** @param caller whose session each request has, as it is then */
  constructor(caller: Parameters<typeof fetchAs>[0]) {
    this.fetch = async (input, init) => {
      if (this.isCut) throw new TypeError('fetch failed');
      const response = await fetchAs(caller)(input, init);
      const header = new Headers(init?.headers).get('Idempotency-Key');
      const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
      if (header === null && !Array.isArray(body)) return response;
      this.requests += 1;
      for (const { query, extensions } of [body].flat() as SentOperation[]) {
        this.sent.push({ query, key: header ?? extensions.idempotencyKey });
      }
      await this.beforeAnswer();
      return response;
    };
  }
}
