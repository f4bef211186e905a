import pRetry from 'p-retry';
import { settlesWithin } from '@taskgate/base';
import { Client } from '../kit/client.ts';
import { pause } from '../kit/pause.ts';
import { seededRandom } from '../kit/random.ts';
import { until } from '../kit/until.ts';
import type { Load } from '../load/load.ts';
import { Run } from '../load/run.ts';
import { listEntities } from '../sync/replica.ts';
import type { Installation } from './installation.ts';

export interface FaultContext {
  readonly load: Load;
  /** Numbers in [0, 1) from the seed of the round. */
  random: () => number;
  /** Waits for a random time up to this limit. */
  pauseRandomly: (milliseconds: number) => Promise<void>;
  kills: number;
  readonly problems: string[];
}

/** A fault that is repaired within the round. */
export interface Fault<Target extends Installation> {
  name: string;
  /** Injects the fault under load and repairs it. */
  run(installation: Target, context: FaultContext): Promise<void>;
}

export interface Round {
  fault: string;
  acknowledged: number;
  refused: number;
  /** Writes with a 503 or no response. */
  unknown: number;
  unknownWritten: number;
  kills: number;
  /** Changes of followers, and batches of replicas. */
  delivered: number;
  /** Milliseconds from the repair until all services are up and a write is acknowledged. */
  servedAfterMs: number;
  problems: string[];
}

/** Upper bound of the random delay before a fault, in milliseconds. */
const maxDelayMs = 30;
/** Milliseconds for a restart on a slow machine. */
const maxStartMs = 90_000;

export class Trial<Target extends Installation> {
  readonly #installation: Target;
  readonly #run: Run;

  private constructor(installation: Target, run: Run) {
    this.#installation = installation;
    this.#run = run;
  }

  static async start<Target extends Installation>(installation: Target, seed: number): Promise<Trial<Target>> {
    return new Trial(installation, await Run.start(installation, { seed, isKeyed: false, hasWebhook: true }));
  }

  async round(fault: Fault<Target>, seed: number): Promise<Round> {
    const { load } = this.#run;
    const before = { ...this.#run.figures, crashes: this.#crashes() };
    const random = seededRandom(`${seed} ${fault.name}`);
    const context: FaultContext = {
      load,
      random,
      pauseRandomly: (milliseconds) => pause(random() * milliseconds),
      kills: 0,
      problems: [],
    };
    load.start();
    const servedAfterMs = await this.#underLoad(fault, context).catch(async (error: unknown) => {
      // Otherwise the next round would see late writes of this one.
      await settlesWithin(maxStartMs, load.pause());
      throw error;
    });
    await load.pause();
    const problems = [...context.problems, ...(await this.#verdict())];
    if (this.#crashes() > before.crashes) {
      const errors = this.#installation.services.map(({ lastErrors }) => lastErrors.slice(-500));
      problems.push(`ended by itself: ${errors.join('')}`);
    }
    const now = this.#run.figures;
    const since = (name: keyof typeof now) => now[name] - before[name];
    return {
      fault: fault.name,
      acknowledged: since('acknowledged'),
      refused: since('refused'),
      unknown: since('unknown'),
      unknownWritten: since('unknownWritten'),
      kills: context.kills,
      delivered: since('changes') + since('batches'),
      servedAfterMs,
      problems,
    };
  }

  async #underLoad(fault: Fault<Target>, context: FaultContext): Promise<number> {
    const { load, random } = context;
    await load.until(['acknowledged'], 5 + Math.floor(random() * 30));
    await context.pauseRandomly(maxDelayMs);
    await fault.run(this.#installation, context);
    const repairedAt = performance.now();
    const allUp = Promise.all(this.#installation.services.map(({ up }) => up));
    if (!(await settlesWithin(maxStartMs, allUp))) throw new Error('a service does not come back');
    await load.until(['acknowledged'], 1);
    const servedAfterMs = Math.round(performance.now() - repairedAt);
    await load.until(['acknowledged'], 2 * load.writers);
    return servedAfterMs;
  }

  /** Stops everything. @returns problems at the end */
  async end(): Promise<string[]> {
    await this.#run.end();
    return this.#installation.stop();
  }

  async #verdict(): Promise<string[]> {
    await this.#quiet();
    const problems = await this.#run.checker.check();
    for (const { person } of this.#run.replicas) {
      const lists = await Promise.all(
        this.#installation.services.map(async ({ up }) => {
          const client = new Client((await up).url, person.cookie);
          // The first statements after a fault of the database may fail.
          return JSON.stringify(await pRetry(() => listEntities(client), { retries: 5, minTimeout: 100 }));
        }),
      );
      if (new Set(lists).size > 1) problems.push('services answer different lists');
    }
    const { length } = await this.#installation.postmasters();
    if (length !== 1) problems.push(`${length} database servers run`);
    return problems;
  }

  /** A write whose connection was cut may still be under way. */
  async #quiet(): Promise<void> {
    const busyConnections = `SELECT FROM pg_stat_activity
      WHERE application_name = 'taskgate' AND state <> 'idle' AND backend_type = 'client backend'`;
    await until(
      'nothing is under way in the database',
      async () => (await this.#installation.sql(busyConnections)).length === 0,
    );
  }

  readonly #crashes = () => this.#installation.services.reduce((sum, { crashes }) => sum + crashes, 0);
}
