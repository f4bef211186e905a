import { seededRandom } from '../kit/random.ts';
import { Checks } from '../soak/checks.ts';
import { Effects } from '../soak/effects.ts';
import { makeTeam } from '../soak/people.ts';
import { Sender } from '../soak/sender.ts';
import { follow } from '../soak/soak.ts';
import { SyncChecks } from '../soak/sync-checks.ts';
import { type Fault, type Figures, runFault } from './faults.ts';
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
const followersPerKind = 3;

export class Trial {
  readonly #place: Installation;
  readonly #sender: Sender;
  readonly #writers: Writers;
  readonly #checks: Checks;
  readonly #syncChecks: SyncChecks;
  readonly #subscribers: Awaited<ReturnType<typeof follow>>;

  private constructor(
    installation: Installation,
    sender: Sender,
    writers: Writers,
    subscribers: Awaited<ReturnType<typeof follow>>,
    checks: Checks,
    syncChecks: SyncChecks,
  ) {
    this.#place = installation;
    this.#sender = sender;
    this.#writers = writers;
    this.#subscribers = subscribers;
    this.#checks = checks;
    this.#syncChecks = syncChecks;
  }

  static async start(installation: Installation, seed: number): Promise<Trial> {
    const effects = await Effects.start(installation.sql);
    const team = await makeTeam(installation.access());
    const subscribers = await follow(team, followersPerKind, installation.find, effects);
    const sender = new Sender(installation.find, seededRandom(`${seed} answers`));
    const checks = await Checks.start(installation.sql, subscribers.followers);
    const syncChecks = new SyncChecks(effects, sender, subscribers.replicas);
    return new Trial(installation, sender, new Writers(team, sender, seed), subscribers, checks, syncChecks);
  }

  async round(fault: Fault): Promise<Round> {
    const problems: string[] = [];
    const before = this.#counts();
    const found = { ...this.#checks.found, ...this.#syncChecks.found, unequal: this.#unequal() };
    this.#writers.start();
    const figures = await runFault(fault, this.#place, this.#writers, problems);
    await this.#checks.check();
    await this.#syncChecks.check();
    const now = { ...this.#checks.found, ...this.#syncChecks.found, unequal: this.#unequal() };
    for (const kind of ['missed', 'duplicates', 'lost', 'twice', 'differing', 'unequal'] as const) {
      if (now[kind] > found[kind]) problems.push(`${kind}: ${now[kind] - found[kind]}`);
    }
    problems.push(...this.#syncChecks.found.problems.splice(0).slice(0, 10));
    await this.#place.untilEqual();
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
