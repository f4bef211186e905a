import { seededRandom } from '../kit/random.ts';
import { Checks } from '../soak/checks.ts';
import { Effects } from '../soak/effects.ts';
import { makeCrew } from '../soak/people.ts';
import { Sender } from '../soak/sender.ts';
import { follow } from '../soak/soak.ts';
import { SyncChecks } from '../soak/sync-checks.ts';
import { type Fault, type Figures, happen } from './faults.ts';
import type { Installation } from './installation.ts';
import { Writers } from './writers.ts';

export interface Round extends Figures {
  fault: string;
  acknowledged: number;
  retries: number;
  replayed: number;
  delivered: number;
  problems: string[];
}

/** Number of subscribers and of replicas, one for each transport. */
const followersOfEach = 3;

export class Trial {
  readonly #place: Installation;
  readonly #sender: Sender;
  readonly #writers: Writers;
  readonly #checks: Checks;
  readonly #syncChecks: SyncChecks;
  readonly #subscribers: Awaited<ReturnType<typeof follow>>;

  private constructor(
    place: Installation,
    sender: Sender,
    writers: Writers,
    subscribers: Awaited<ReturnType<typeof follow>>,
    checks: Checks,
    syncChecks: SyncChecks,
  ) {
    this.#place = place;
    this.#sender = sender;
    this.#writers = writers;
    this.#subscribers = subscribers;
    this.#checks = checks;
    this.#syncChecks = syncChecks;
  }

  static async begin(place: Installation, seed: number): Promise<Trial> {
    const effects = await Effects.begin(place.sql);
    const crew = await makeCrew(place.entrance());
    const subscribers = await follow(crew, followersOfEach, place.find, effects);
    const sender = new Sender(place.find, seededRandom(`${seed} answers`));
    const checks = await Checks.begin(place.sql, subscribers.followers);
    const syncChecks = new SyncChecks(effects, sender, subscribers.replicas);
    return new Trial(place, sender, new Writers(crew, sender, seed), subscribers, checks, syncChecks);
  }

  async round(fault: Fault): Promise<Round> {
    const problems: string[] = [];
    const before = this.#counts();
    const found = { ...this.#checks.found, ...this.#syncChecks.found, unequal: this.#unequal() };
    this.#writers.begin();
    const figures = await happen(fault, this.#place, this.#writers, problems);
    await this.#checks.check();
    await this.#syncChecks.check();
    const now = { ...this.#checks.found, ...this.#syncChecks.found, unequal: this.#unequal() };
    for (const what of ['missed', 'duplicates', 'lost', 'twice', 'differing', 'unequal'] as const) {
      if (now[what] > found[what]) problems.push(`${what}: ${now[what] - found[what]}`);
    }
    problems.push(...this.#syncChecks.found.problems.splice(0).slice(0, 10));
    await this.#place.untilSame();
    problems.push(...this.#place.crashes.map((words) => `a gateway has ended by itself: ${words}`));
    const counts = this.#counts();
    return {
      fault: fault.name,
      ...figures,
      acknowledged: counts.acknowledged - before.acknowledged,
      retries: counts.retries - before.retries,
      replayed: counts.replayed - before.replayed,
      delivered: counts.delivered - before.delivered,
      problems,
    };
  }

  async end(): Promise<void> {
    const { followers, replicas } = this.#subscribers;
    await Promise.all([...followers, ...replicas].map(({ connection }) => connection.stop()));
  }

  #counts() {
    const { followers, replicas } = this.#subscribers;
    const { retries, replayed } = this.#sender;
    const delivered = [...followers, ...replicas].reduce((sum, each) => sum + each.delivered, 0);
    return { acknowledged: this.#writers.acknowledged.length, retries, replayed, delivered };
  }

  readonly #unequal = () => this.#checks.found.unequal + this.#syncChecks.found.unequal;
}
