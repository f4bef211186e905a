import pRetry from 'p-retry';
import { within } from '../../src/kernel/within.ts';
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

export interface Course {
  readonly load: Load;
  /** Numbers in [0, 1) from the seed of the round. */
  random: () => number;
  /** Waits for a random time up to this limit. */
  moment: (milliseconds: number) => Promise<void>;
  kills: number;
  readonly problems: string[];
}

/** A fault that is repaired within the round. */
export interface Fault<Place extends Installation> {
  name: string;
  /** Injects the fault under load and repairs it. */
  run(place: Place, course: Course): Promise<void>;
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
const latestMomentMs = 30;
const writersOfEach = 3;
/** Milliseconds for a restart on a slow machine. */
const maxStartMs = 90_000;

export class Trial<Place extends Installation> {
  readonly place: Place;
  readonly #people: readonly Person[];
  readonly #load: Load;
  readonly #followers: readonly Follower[];
  readonly #checks: Checks;

  private constructor(
    place: Place,
    { people, load, followers, checks }: { people: Person[]; load: Load; followers: Follower[]; checks: Checks },
  ) {
    this.place = place;
    this.#people = people;
    this.#load = load;
    this.#followers = followers;
    this.#checks = checks;
  }

  static async begin<Place extends Installation>(place: Place, seed: number): Promise<Trial<Place>> {
    const people = await makePeople(await place.entrance());
    const followers = await Promise.all(
      people.flatMap((person) => Object.values(feeds).map((feed) => Follower.begin(person, feed, place.find))),
    );
    const checks = await Checks.begin(place.sql, followers);
    const writers = people.flatMap((person, index) =>
      Array.from({ length: writersOfEach }, (_, number) => new Writer(person, `writer-${index}-${number}`, `${seed}`)),
    );
    return new Trial(place, { people, load: new Load(writers, place.find), followers, checks });
  }

  async round(fault: Fault<Place>, seed: number): Promise<Round> {
    const { place } = this;
    const load = this.#load;
    const before = { ...load.counts, delivered: this.#delivered(), crashes: this.#crashes() };
    const random = seededRandom(`${seed} ${fault.name}`);
    const course: Course = {
      load,
      random,
      moment: (milliseconds) => pause(random() * milliseconds),
      kills: 0,
      problems: [],
    };
    load.begin();
    const servedAfterMs = await this.#underLoad(fault, course).catch(async (error: unknown) => {
      // Otherwise the next round would see late writes of this one.
      await within(maxStartMs, load.pause());
      throw error;
    });
    await load.pause();
    const resolved = await this.#verdict(course.problems);
    if (this.#crashes() > before.crashes) {
      course.problems.push(`ended by itself: ${place.services.map(({ lastWords }) => lastWords.slice(-500)).join('')}`);
    }
    return {
      fault: fault.name,
      acknowledged: load.counts.acknowledged - before.acknowledged,
      refused: load.counts.refused - before.refused,
      unavailable: load.counts.unavailable - before.unavailable,
      lost: load.counts.lost - before.lost,
      ...resolved,
      kills: course.kills,
      delivered: this.#delivered() - before.delivered,
      servedAfterMs,
      problems: course.problems,
    };
  }

  async #underLoad(fault: Fault<Place>, course: Course): Promise<number> {
    const { place } = this;
    const { load, random } = course;
    await load.until(['acknowledged'], 5 + Math.floor(random() * 30));
    await course.moment(latestMomentMs);
    await fault.run(place, course);
    const mendedAt = performance.now();
    const areUp = Promise.all(place.services.map(({ up }) => up));
    if (!(await within(maxStartMs, areUp))) throw new Error('a service does not come back');
    await load.until(['acknowledged'], 1);
    const servedAfterMs = Math.round(performance.now() - mendedAt);
    await load.until(['acknowledged'], 2 * load.writers.length);
    return servedAfterMs;
  }

  /** Stops everything. @returns problems at the end */
  async end(): Promise<string[]> {
    await Promise.all(this.#followers.map((follower) => follower.connection.stop()));
    return this.place.stop();
  }

  /** Compares the data with the expectation. Call while nobody writes. */
  async #verdict(problems: string[]): Promise<Resolved> {
    await this.#quiet();
    const resolved = { unavailableWritten: 0, lostWritten: 0, notWritten: 0 };
    const listed = new Map<string, string>();
    for (const person of this.#people) {
      const rows = await this.#listedEverywhere(person, problems);
      for (const [id, { mark }] of rows) listed.set(id, mark);
      for (const writer of this.#load.writers.filter((each) => each.person === person)) {
        const of = writer.check(rows);
        for (const name of Object.keys(resolved) as (keyof Resolved)[]) resolved[name] += of[name];
        problems.push(...writer.problems.splice(0));
      }
    }
    for (const { ids } of this.#load.writers) for (const id of ids) listed.delete(id);
    for (const [id, mark] of listed) problems.push(`there, and nobody was told so: ${id} of ${mark}`);
    const { missed, duplicates, unequal } = this.#checks.found;
    await this.#checks.check();
    const { found } = this.#checks;
    if (found.missed > missed) problems.push(`followers missed ${found.missed - missed} changes`);
    if (found.duplicates > duplicates) problems.push(`followers had ${found.duplicates - duplicates} changes twice`);
    if (found.unequal > unequal) problems.push(`${found.unequal - unequal} replicas are not what the lists say`);
    problems.push(...(await brokenInvariants(this.place.sql)));
    const { length } = await this.place.postmasters();
    if (length !== 1) problems.push(`${length} database servers run`);
    return resolved;
  }

  async #quiet(): Promise<void> {
    const busy = `SELECT FROM pg_stat_activity
      WHERE application_name = 'taskgate' AND state <> 'idle' AND backend_type = 'client backend'`;
    await until('nothing is under way in the database', async () => (await this.place.sql(busy)).length === 0);
  }

  /** The list of a person, which must be equal at all services. */
  async #listedEverywhere({ cookie }: Person, problems: string[]) {
    const lists = await Promise.all(
      this.place.services.map(async ({ up }) => {
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
  readonly #crashes = () => this.place.services.reduce((sum, { crashes }) => sum + crashes, 0);
}
