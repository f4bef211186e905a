import { fetchAs } from './kit.ts';

interface SentOperation {
  query: string;
  extensions: { idempotencyKey: string };
}

export class Network {
  isCut = false;
  readonly sent: { query: string; key: string }[] = [];
  /** Number of requests with these mutations. */
  requests = 0;
  /** Runs before a response to mutations is delivered. The client gets its error instead. */
  beforeResponse: () => Promise<void> | void = () => undefined;
  readonly fetch: typeof fetch;

  constructor(session: Parameters<typeof fetchAs>[0]) {
    this.fetch = async (input, init) => {
      if (this.isCut) throw new TypeError('fetch failed');
      const response = await fetchAs(session)(input, init);
      const header = new Headers(init?.headers).get('Idempotency-Key');
      const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
      if (header === null && !Array.isArray(body)) return response;
      this.requests += 1;
      for (const { query, extensions } of [body].flat() as SentOperation[]) {
        this.sent.push({ query, key: header ?? extensions.idempotencyKey });
      }
      await this.beforeResponse();
      return response;
    };
  }
}
