import { seededRandom } from '../kit/random.ts';
import { runRandomAction, CreatedIds, createMarks } from '../soak/acts.ts';
import type { Team } from '../soak/people.ts';
import type { Sender } from '../soak/sender.ts';
import { Load } from './load.ts';

const concurrency = 4;

/** Random keyed writes of several users. `acknowledged` has the times. */
export class Writers extends Load<number> {
  readonly #crew: Team;
  readonly #sender: Sender;
  readonly #random: () => number;
  readonly #made = new CreatedIds();
  readonly #newMark = createMarks();

  constructor(team: Team, sender: Sender, seed: number) {
    super();
    this.#crew = team;
    this.#sender = sender;
    this.#random = seededRandom(`${seed} writes`);
  }

  protected override writers(): Promise<void>[] {
    return Array.from({ length: concurrency }, () => this.#work());
  }

  /** The longest time without an acknowledged write, from the last one before `moment`. */
  longestPauseSince(moment: number): number {
    const first = this.acknowledged.findLastIndex((time) => time < moment);
    const times = this.acknowledged.slice(Math.max(0, first));
    return Math.max(0, ...times.slice(1).map((time, index) => time - (times[index] ?? time)));
  }

  async #work(): Promise<void> {
    const { members, guests } = this.#crew;
    const allPeople = [...members, ...guests];
    const send: Sender['send'] = async (person, write) => {
      const sentWrite = await this.#sender.send(person, write);
      if (sentWrite.isDone) this.acknowledged.push(performance.now());
      return sentWrite;
    };
    while (!this.isPaused) {
      const person = allPeople[Math.floor(this.#random() * allPeople.length)] ?? members[0];
      await runRandomAction(
        { team: this.#crew, person, createdIds: this.#made, random: this.#random, send },
        this.#newMark,
      );
    }
  }
}
