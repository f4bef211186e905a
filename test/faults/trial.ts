import pRetry from 'p-retry';
import { within } from '@taskgate/base';
import { feeds } from '../changes/feeds.ts';
import { brokenInvariants } from '../kit/invariants.ts';
import { Client } from '../kit/client.ts';
import { pause } from '../kit/pause.ts';
import { seededRandom } from '../kit/random.ts';
import { Checks } from '../soak/checks.ts';
import { Follower } from '../soak/follower.ts';
import { makePeople, type Person } from '../soak/people.ts';
import type { Installation } from './installation.ts';
import { Load } from './load.ts';
import { type FoundRow, listedRows, type Resolved, Writer } from './writer.ts';
import { until } from '../kit/until.ts';

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

export interface Round extends Resolved {
  fault: string;
  acknowledged: number;
  refused: number;
  unavailable: number;
  lost: number;
  kills: number;
  /** Changes of followers. */
  delivered: number;
  /** Milliseconds from the repair until all services are up and a write is acknowledged. */
  servedAfterMs: number;
  problems: string[];
}

/** Upper bound of the random delay before a fault, in milliseconds. */
const maxDelayMs = 30;
const writersPerPerson = 3;
/** Milliseconds for a restart on a slow machine. */
const maxStartMs = 90_000;

export class Trial<Target extends Installation> {
  readonly installation: Target;
  readonly #people: readonly Person[];
  readonly #load: Load;
  readonly #followers: readonly Follower[];
  readonly #checks: Checks;

  private constructor(
    installation: Target,
    { people, load, followers, checks }: { people: Person[]; load: Load; followers: Follower[]; checks: Checks },
  ) {
    this.installation = installation;
    this.#people = people;
    this.#load = load;
    this.#followers = followers;
    this.#checks = checks;
  }

  static async start<Target extends Installation>(installation: Target, seed: number): Promise<Trial<Target>> {
    const people = await makePeople(await installation.access());
    const followers = await Promise.all(
      people.flatMap((person) => Object.values(feeds).map((feed) => Follower.start(person, feed, installation.find))),
    );
    const checks = await Checks.start(installation.sql, followers);
    const writers = people.flatMap((person, index) =>
      Array.from(
        { length: writersPerPerson },
        (_, number) => new Writer(person, `writer-${index}-${number}`, `${seed}`),
      ),
    );
    return new Trial(installation, { people, load: new Load(writers, installation.find), followers, checks });
  }

  async round(fault: Fault<Target>, seed: number): Promise<Round> {
    const { installation } = this;
    const load = this.#load;
    const before = { ...load.counts, delivered: this.#delivered(), crashes: this.#crashes() };
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
      await within(maxStartMs, load.pause());
      throw error;
    });
    await load.pause();
    const resolved = await this.#verdict(context.problems);
    if (this.#crashes() > before.crashes) {
      context.problems.push(
        `ended by itself: ${installation.services.map(({ lastErrors }) => lastErrors.slice(-500)).join('')}`,
      );
    }
    return {
      fault: fault.name,
      acknowledged: load.counts.acknowledged - before.acknowledged,
      refused: load.counts.refused - before.refused,
      unavailable: load.counts.unavailable - before.unavailable,
      lost: load.counts.lost - before.lost,
      ...resolved,
      kills: context.kills,
      delivered: this.#delivered() - before.delivered,
      servedAfterMs,
      problems: context.problems,
    };
  }

  async #underLoad(fault: Fault<Target>, context: FaultContext): Promise<number> {
    const { installation } = this;
    const { load, random } = context;
    await load.until(['acknowledged'], 5 + Math.floor(random() * 30));
    await context.pauseRandomly(maxDelayMs);
    await fault.run(installation, context);
    const repairedAt = performance.now();
    const allUp = Promise.all(installation.services.map(({ up }) => up));
    if (!(await within(maxStartMs, allUp))) throw new Error('a service does not come back');
    await load.until(['acknowledged'], 1);
    const servedAfterMs = Math.round(performance.now() - repairedAt);
    await load.until(['acknowledged'], 2 * load.writers.length);
    return servedAfterMs;
  }

  /** Stops everything. @returns problems at the end */
  async end(): Promise<string[]> {
    await Promise.all(this.#followers.map((follower) => follower.connection.stop()));
    return this.installation.stop();
  }

  /** Compares the data with the expectation. Call while nobody writes. */
  async #verdict(problems: string[]): Promise<Resolved> {
    await this.#quiet();
    const resolved = { unavailableWritten: 0, lostWritten: 0, notWritten: 0 };
    const untracked = new Map<string, string>();
    for (const person of this.#people) {
      const rows = await this.#listedEverywhere(person, problems);
      for (const [id, { mark }] of rows) untracked.set(id, mark);
      for (const writer of this.#load.writers.filter((each) => each.person === person)) {
        const outcome = writer.check(rows);
        for (const name of Object.keys(resolved) as (keyof Resolved)[]) resolved[name] += outcome[name];
        problems.push(...writer.problems.splice(0));
      }
    }
    for (const { ids } of this.#load.writers) for (const id of ids) untracked.delete(id);
    for (const [id, mark] of untracked) problems.push(`there, and nobody was told so: ${id} of ${mark}`);
    const { missed, duplicates, unequal } = this.#checks.found;
    await this.#checks.check();
    const { found } = this.#checks;
    if (found.missed > missed) problems.push(`followers missed ${found.missed - missed} changes`);
    if (found.duplicates > duplicates) problems.push(`followers had ${found.duplicates - duplicates} changes twice`);
    if (found.unequal > unequal) problems.push(`${found.unequal - unequal} replicas are not what the lists say`);
    problems.push(...(await brokenInvariants(this.installation.sql)));
    const { length } = await this.installation.postmasters();
    if (length !== 1) problems.push(`${length} database servers run`);
    return resolved;
  }

  async #quiet(): Promise<void> {
    const busyConnections = `SELECT FROM pg_stat_activity
      WHERE application_name = 'taskgate' AND state <> 'idle' AND backend_type = 'client backend'`;
    await until(
      'nothing is under way in the database',
      async () => (await this.installation.sql(busyConnections)).length === 0,
    );
  }

  /** The list of a person, which must be equal at all services. */
  async #listedEverywhere({ cookie }: Person, problems: string[]) {
    const lists = await Promise.all(
      this.installation.services.map(async ({ up }) => {
        const { url } = await up;
        // The first statements after a fault of the database may fail.
        return pRetry(() => listedRows(new Client(url, cookie)), { retries: 5, minTimeout: 100 });
      }),
    );
    const [first = new Map<string, FoundRow>(), ...others] = lists;
    const text = (rows: typeof first) => JSON.stringify([...rows]);
    if (others.some((other) => text(other) !== text(first))) problems.push('services answer different lists');
    return first;
  }

  readonly #delivered = () => this.#followers.reduce((sum, { delivered }) => sum + delivered, 0);
  readonly #crashes = () => this.installation.services.reduce((sum, { crashes }) => sum + crashes, 0);
}
