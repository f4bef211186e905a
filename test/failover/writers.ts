import { until } from '../kit/until.ts';
import { seededRandom } from '../kit/random.ts';
import { actAtRandom, Made, newMarks } from '../soak/acts.ts';
import type { Crew } from '../soak/people.ts';
import type { Sender } from '../soak/sender.ts';

const atOnce = 4;

/** Writes of several users at random, each under a key, until they are paused. */
export class Writers {
  /** When each write was acknowledged, by the program's clock. */
  readonly acknowledged: number[] = [];
  readonly #crew: Crew;
  readonly #sender: Sender;
  readonly #random: () => number;
  readonly #made = new Made();
  readonly #newMark = newMarks();
  #isPaused = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(crew: Crew, sender: Sender, seed: number) {
    this.#crew = crew;
    this.#sender = sender;
    this.#random = seededRandom(`${seed} writes`);
  }

  begin(): void {
    this.#isPaused = false;
    this.#running = Promise.all(Array.from({ length: atOnce }, () => this.#work()));
  }

  /** Settles when each write that was sent has been answered. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#running;
  }

  /** Waits until a number of further writes have been acknowledged. */
  async until(count: number): Promise<void> {
    const wanted = this.acknowledged.length + count;
    await until(`${count} writes are acknowledged`, () => this.acknowledged.length >= wanted);
  }

  /** The longest time without an acknowledged write, of that from the last one before a moment on. */
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
    while (!this.#isPaused) {
      const person = everybody[Math.floor(this.#random() * everybody.length)] ?? members[0];
      await actAtRandom({ crew: this.#crew, person, made: this.#made, random: this.#random, send }, this.#newMark);
    }
  }
}
