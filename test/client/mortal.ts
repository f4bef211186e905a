import { type Client, createReplica, type Replica, type ReplicaStorage } from 'taskgate-client';
import { clientAs, fetchAs, webSocketAs } from './kit.ts';

export interface Habitat {
  url: string;
  caller: { cookie?: string | undefined };
  /** Opens the storage, which outlives the client, by a new object. */
  openStorage: () => ReplicaStorage;
  overWebSocket: boolean;
  isLast: () => boolean;
}

const never = new Promise<never>(() => undefined);

/**
 * A client that can die before and after every use of its network or storage, as a page can. Its network can be cut,
 * too.
 */
export class Mortal {
  isDead = false;
  /** Idempotency keys of the mutations that may be stored. */
  readonly saved: Set<string>;
  replica: Replica | undefined;
  readonly #habitat: Habitat;
  #isOffline = false;
  #cut = new AbortController();
  #client: Client | undefined;
  /** Settles when its last use of the storage has ended: only then another client may open it. */
  #storing: Promise<unknown> = Promise.resolve();

  private constructor(habitat: Habitat, saved: Set<string>) {
    this.#habitat = habitat;
    this.saved = saved;
  }

  /** @param saved the keys of its predecessors */
  static async live(habitat: Habitat, saved: Set<string>): Promise<Mortal> {
    const mortal = new Mortal(habitat, saved);
    const { url, caller, overWebSocket } = habitat;
    const client = clientAs({ url }, caller, {
      fetch: mortal.#fetch,
      webSocket: overWebSocket ? mortal.#webSocket() : null,
    });
    mortal.#client = client;
    const opening = createReplica({ client, storage: mortal.#storage(habitat.openStorage()) });
    mortal.replica = await Promise.race([opening, mortal.#death]);
    return mortal;
  }

  get isOffline(): boolean {
    return this.#isOffline;
  }

  set isOffline(isOffline: boolean) {
    this.#isOffline = isOffline;
    if (isOffline) this.#cut.abort(new TypeError('the network is gone'));
    else this.#cut = new AbortController();
  }

  kill(): void {
    this.isDead = true;
    this.#cut.abort(new TypeError('the process is gone'));
    this.#client?.close();
    this.#die();
  }

  async buried(): Promise<void> {
    await this.#storing;
  }

  #die: () => void = () => undefined;
  readonly #death = new Promise<undefined>((resolve) => (this.#die = () => resolve(undefined)));

  async #step<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#dies()) return never;
    const result = await work();
    return this.#dies() ? never : result;
  }

  #dies(): boolean {
    if (!this.isDead && this.#habitat.isLast()) this.kill();
    return this.isDead;
  }

  readonly #fetch: typeof fetch = (input, init) =>
    this.#step(() => {
      const signal = AbortSignal.any([this.#cut.signal, ...(init?.signal ? [init.signal] : [])]);
      return fetchAs(this.#habitat.caller)(input, { ...init, signal });
    });

  #webSocket() {
    // The methods have the socket as `this`.
    const cut = () => this.#cut.signal;
    return class extends webSocketAs(this.#habitat.caller) {
      constructor(url: string, protocols?: string | string[]) {
        super(url, protocols);
        const { signal } = { signal: cut() };
        this.on('error', () => undefined);
        const end = () => this.terminate();
        if (signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
      }
    };
  }

  #storage(storage: ReplicaStorage): ReplicaStorage {
    const stored = <Result>(work: () => Promise<Result>) =>
      this.#step(() => {
        const working = work();
        this.#storing = Promise.allSettled([this.#storing, working]);
        return working;
      });
    return {
      load: () => stored(() => storage.load()),
      write: (changes) =>
        stored(() => {
          for (const key of changes.keys()) if (key.startsWith('mutation/')) this.saved.add(key.slice(9));
          return storage.write(changes);
        }),
      close: () => storage.close(),
    };
  }
}
