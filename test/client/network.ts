import type { User } from '../kit/users.ts';
import { fetchAs } from './kit.ts';

/** A network that can be cut, as the client of a user sees it. */
export class Network {
  isCut = false;
  /** Bodies of mutations that came through, in their order. */
  readonly sent: { query: string; key: string | null }[] = [];
  /** Called before an answer to a mutation is handed on: what it throws is what the client sees. */
  beforeAnswer: () => Promise<void> | void = () => undefined;
  readonly fetch: typeof fetch;

  constructor(user: User) {
    this.fetch = async (input, init) => {
      if (this.isCut) throw new TypeError('fetch failed');
      const response = await fetchAs(user)(input, init);
      const key = new Headers(init?.headers).get('Idempotency-Key');
      if (key === null) return response;
      this.sent.push({ query: (JSON.parse(init?.body as string) as { query: string }).query, key });
      await this.beforeAnswer();
      return response;
    };
  }
}
