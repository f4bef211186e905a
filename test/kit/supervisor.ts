import { pause } from './pause.ts';
import { launchService, type ServiceProcess } from './process.ts';

export type ReadyService = ServiceProcess & { url: string };

/** Evaluated for each start. */
export interface Launch {
  variables: Record<string, string>;
  command?: string[];
}

const [firstPauseMs, maxPauseMs] = [50, 1000];

/** Keeps a service running at one address, until it is stopped. */
export class Supervisor {
  /** Replaced after each end. */
  up: Promise<ReadyService>;
  /** Ends after readiness without a signal from here. */
  crashes = 0;
  /** Duration of the last completed start. */
  startMs = 0;
  lastErrors = '';
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

  /** 0 between two processes. */
  get pid(): number {
    return this.#current?.pid ?? 0;
  }

  /** Sends a signal and waits until the next process has begun. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const begun = this.nextStart();
    this.signal(signal);
    await begun;
  }

  /** Sends a signal. The end that follows is not a crash. */
  signal(name: NodeJS.Signals): void {
    this.#told = name;
    this.#current?.signal(name);
  }

  nextStart(): Promise<void> {
    return new Promise((resolve) => this.#begun.push(resolve));
  }

  /** @returns the exit code */
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
      const startedAt = performance.now();
      const service = await launchService({ PORT: this.#port, ...variables }, command);
      this.#current = service;
      this.#told = undefined;
      if (this.#isStopping()) this.signal('SIGTERM');
      for (const resolve of this.#begun.splice(0)) resolve();
      await Promise.race([service.ready, service.ended]);
      const { url } = service;
      if (url !== undefined) {
        this.startMs = performance.now() - startedAt;
        this.#port = new URL(url).port;
        this.#ready({ ...service, url });
      }
      await service.ended;
      this.#current = undefined;
      this.lastErrors = service.errors();
      if (url !== undefined) this.up = this.#nextReady();
      if (!this.#wasTold() && url !== undefined) this.crashes += 1;
      pauseMs = url === undefined ? Math.min(pauseMs * 2, maxPauseMs) : firstPauseMs;
      if (!this.#isStopping()) await pause(pauseMs);
    }
  }

  // Functions, because both change during the awaits of `#run`.
  readonly #isStopping = () => this.#stopping;
  readonly #wasTold = () => this.#told !== undefined;

  #nextReady(): Promise<ReadyService> {
    return new Promise((resolve) => (this.#ready = resolve));
  }
}
