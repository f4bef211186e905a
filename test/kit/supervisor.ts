import { pause } from './pause.ts';
import { launchService, type ServiceProcess } from './process.ts';

/** A service that is ready. */
export type ReadyService = ServiceProcess & { url: string };

/** What is run, and in which environment; evaluated again for each start. */
export interface Launch {
  variables: Record<string, string>;
  command?: string[];
}

const [firstPauseMs, longestPauseMs] = [50, 1000];

/** Keeps a service running at one address: whenever it ends without having been stopped, it is started again. */
export class Supervisor {
  /** Settles when the service is ready; after its end it is another promise, of the next one. */
  up: Promise<ReadyService>;
  /** Times that it ended without a signal of ours, once it had been ready. */
  crashes = 0;
  /** Milliseconds that its last whole start took. */
  startMs = 0;
  /** What it wrote to standard error before its last end. */
  lastWords = '';
  readonly #launch: () => Launch | Promise<Launch>;
  #port = '0';
  #current: ServiceProcess | undefined;
  #told: NodeJS.Signals | undefined;
  #stopping = false;
  #begun: (() => void)[] = [];
  #ready: (service: ReadyService) => void = () => undefined;
  readonly #running: Promise<void>;

  constructor(launch: () => Launch | Promise<Launch>) {
    this.#launch = launch;
    this.up = this.#nextReady();
    this.#running = this.#run();
  }

  /** Process id of what runs now; 0 between two. */
  get pid(): number {
    return this.#current?.pid ?? 0;
  }

  /** Sends it the signal, whether it is ready or not, and waits for its end and until the next one has begun. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const begun = this.begun();
    this.signal(signal);
    await begun;
  }

  /** Sends it the signal, after which its end is no crash. */
  signal(name: NodeJS.Signals): void {
    this.#told = name;
    this.#current?.signal(name);
  }

  /** Settles when another process has begun to start. */
  begun(): Promise<void> {
    return new Promise((resolve) => this.#begun.push(resolve));
  }

  /** Has it stop as a supervisor does, and not come back. @returns its exit code */
  async stop(): Promise<number | string> {
    this.#stopping = true;
    const current = this.#current;
    this.signal('SIGTERM');
    await this.#running;
    return (await current?.ended) ?? 0;
  }

  async #run(): Promise<void> {
    let pauseMs = firstPauseMs;
    while (!this.#isStopping()) {
      const { variables, command } = await this.#launch();
      const begunAt = performance.now();
      const service = await launchService({ PORT: this.#port, ...variables }, command);
      this.#current = service;
      this.#told = undefined;
      if (this.#isStopping()) this.signal('SIGTERM');
      for (const resolve of this.#begun.splice(0)) resolve();
      await Promise.race([service.ready, service.ended]);
      const { url } = service;
      if (url !== undefined) {
        this.startMs = performance.now() - begunAt;
        this.#port = new URL(url).port;
        this.#ready({ ...service, url });
      }
      await service.ended;
      this.#current = undefined;
      this.lastWords = service.errors();
      if (url !== undefined) this.up = this.#nextReady();
      if (!this.#wasTold() && url !== undefined) this.crashes += 1;
      pauseMs = url === undefined ? Math.min(pauseMs * 2, longestPauseMs) : firstPauseMs;
      if (!this.#isStopping()) await pause(pauseMs);
    }
  }

  // Both may have changed while something was waited for.
  readonly #isStopping = () => this.#stopping;
  readonly #wasTold = () => this.#told !== undefined;

  #nextReady(): Promise<ReadyService> {
    return new Promise((resolve) => (this.#ready = resolve));
  }
}
