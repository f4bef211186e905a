import { type Client, createReplica, type Replica, type ReplicaStorage } from 'taskgate-client';
import { clientAs, fetchAs, webSocketAs } from './kit.ts';

export interface Environment {
  url: string;
  session: { cookie?: string | undefined };
  /** Opens the storage, which outlives the client, by a new object. */
  openStorage: () => ReplicaStorage;
  usesWebSocket: boolean;
  isLast: () => boolean;
}

const never = new Promise<never>(() => undefined);

/**
 * A client that can die before and after every use of its network or storage, as a page can. Its network can be cut,
 * too.
 */
export class CrashingReplica {
  isCrashed = false;
  /** Idempotency keys of the mutations that may be stored. */
  readonly saved: Set<string>;
  replica: Replica | undefined;
  readonly #habitat: Environment;
  #isOffline = false;
  #cut = new AbortController();
  #client: Client | undefined;
  /** Settles when its last use of the storage has ended: only then another client may open it. */
  #storing: Promise<unknown> = Promise.resolve();

  private constructor(environment: Environment, saved: Set<string>) {
    this.#habitat = environment;
    this.saved = saved;
  }

  /** @param saved the keys of its predecessors */
  static async start(environment: Environment, saved: Set<string>): Promise<CrashingReplica> {
    const instance = new CrashingReplica(environment, saved);
    const { url, session, usesWebSocket } = environment;
    const client = clientAs({ url }, session, {
      fetch: instance.#fetch,
      webSocket: usesWebSocket ? instance.#webSocket() : null,
    });
    instance.#client = client;
    const opening = createReplica({ client, storage: instance.#storage(environment.openStorage()) });
    instance.replica = await Promise.race([opening, instance.#death]);
    return instance;
  }

  get isOffline(): boolean {
    return this.#isOffline;
  }

  set isOffline(isOffline: boolean) {
    this.#isOffline = isOffline;
    if (isOffline) this.#cut.abort(new TypeError('the network is gone'));
    else this.#cut = new AbortController();
  }

  crash(): void {
    this.isCrashed = true;
    this.#cut.abort(new TypeError('the process is gone'));
    this.#client?.close();
    this.#die();
  }

  async untilStorageEnds(): Promise<void> {
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
    if (!this.isCrashed && this.#habitat.isLast()) this.crash();
    return this.isCrashed;
  }

  readonly #fetch: typeof fetch = (input, init) =>
    this.#step(() => {
      const signal = AbortSignal.any([this.#cut.signal, ...(init?.signal ? [init.signal] : [])]);
      return fetchAs(this.#habitat.session)(input, { ...init, signal });
    });

  #webSocket() {
    // The methods have the socket as `this`.
    const networkSignal = () => this.#cut.signal;
    return class extends webSocketAs(this.#habitat.session) {
      constructor(url: string, protocols?: string | string[]) {
        super(url, protocols);
        const { signal } = { signal: networkSignal() };
        this.on('error', () => undefined);
        const end = () => this.terminate();
        if (signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
      }
    };
  }

  #storage(storage: ReplicaStorage): ReplicaStorage {
    const useStorage = <Result>(work: () => Promise<Result>) =>
      this.#step(() => {
        const working = work();
        this.#storing = Promise.allSettled([this.#storing, working]);
        return working;
      });
    return {
      load: () => useStorage(() => storage.load()),
      write: (changes) =>
        useStorage(() => {
          for (const key of changes.keys()) if (key.startsWith('mutation/')) this.saved.add(key.slice(9));
          return storage.write(changes);
        }),
      close: () => storage.close(),
    };
  }
}
