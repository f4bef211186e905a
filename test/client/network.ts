import { fetchAs } from './kit.ts';

interface SentOperation {
  query: string;
  extensions: { idempotencyKey: string };
}

export class Network {
  isCut = false;
  /** Requests with mutations, each with these in order. */
  readonly requests: { query: string; key: string }[][] = [];
  /** Runs before a response to mutations is delivered. The client gets its error instead. */
  beforeResponse: () => Promise<void> | void = () => undefined;
  readonly fetch: typeof fetch;

  get sent(): { query: string; key: string }[] {
    return this.requests.flat();
  }

  /** Of each request. */
  get keys(): string[][] {
    return this.requests.map((operations) => operations.map(({ key }) => key));
  }

  constructor(session: Parameters<typeof fetchAs>[0]) {
    this.fetch = async (input, init) => {
      if (this.isCut) throw new TypeError('fetch failed');
      const response = await fetchAs(session)(input, init);
      const header = new Headers(init?.headers).get('Idempotency-Key');
      const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
      if (header === null && !Array.isArray(body)) return response;
      const operations = [body].flat() as SentOperation[];
      this.requests.push(
        operations.map(({ query, extensions }) => ({ query, key: header ?? extensions.idempotencyKey })),
      );
      await this.beforeResponse();
      return response;
    };
  }
}
