import { seededRandom } from '../kit/random.ts';
import { actAtRandom, Made, newMarks } from '../soak/acts.ts';
import type { Crew } from '../soak/people.ts';
import type { Sender } from '../soak/sender.ts';
import { Load } from './load.ts';

const atOnce = 4;

/** Random keyed writes of several users. `acknowledged` has the times. */
export class Writers extends Load<number> {
  readonly #crew: Crew;
  readonly #sender: Sender;
  readonly #random: () => number;
  readonly #made = new Made();
  readonly #newMark = newMarks();

  constructor(crew: Crew, sender: Sender, seed: number) {
    super();
    this.#crew = crew;
    this.#sender = sender;
    this.#random = seededRandom(`${seed} writes`);
  }

  protected override writers(): Promise<void>[] {
    return Array.from({ length: atOnce }, () => this.#work());
  }

  /** The longest time without an acknowledged write, from the last one before `moment`. */
  longestPauseSince(moment: number): number {
    const first = this.acknowledged.findLastIndex((at) => at < moment);
    const times = this.acknowledged.slice(Math.max(0, first));
    return Math.max(0, ...times.slice(1).map((at, index) => at - (times[index] ?? at)));
  }

  async #work(): Promise<void> {
    const { members, guests } = this.#crew;
    const everybody = [...members, ...guests];
    const send: Sender['send'] = async (person, deed) => {
      const answered = await this.#sender.send(person, deed);
      if (answered.isDone) this.acknowledged.push(performance.now());
      return answered;
    };
    while (!this.isPaused) {
      const person = everybody[Math.floor(this.#random() * everybody.length)] ?? members[0];
      await actAtRandom({ crew: this.#crew, person, made: this.#made, random: this.#random, send }, this.#newMark);
    }
  }
}
