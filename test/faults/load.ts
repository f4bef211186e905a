import { Client } from '../kit/client.ts';
import { pause } from '../kit/pause.ts';
import type { FindService } from '../soak/connection.ts';
import { isUncertain, type Outcome, type Writer } from './writer.ts';

/** Milliseconds until a wait fails. Faults end sooner even on slow machines. */
const patienceMs = 90_000;
const pauseMs = 50;

/** Writers that each send one write after the other until they are paused. */
export class Load {
  readonly counts: Record<Outcome, number> = { acknowledged: 0, refused: 0, unsent: 0, unavailable: 0, lost: 0 };
  readonly writers: readonly Writer[];
  readonly #find: FindService;
  readonly #waiting = new Set<() => void>();
  #running: Promise<unknown> | undefined;
  #isPaused = false;

  constructor(writers: readonly Writer[], find: FindService) {
    this.writers = writers;
    this.#find = find;
  }

  start(): void {
    this.#isPaused = false;
    this.#running = Promise.all(this.writers.map((writer) => this.#work(writer)));
  }

  /** Settles when all sent writes have an outcome. A service must be running. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#running;
  }

  async until(outcomes: readonly Outcome[], count: number): Promise<void> {
    const sum = () => outcomes.reduce((total, outcome) => total + this.counts[outcome], 0);
    const target = sum() + count;
    await new Promise<void>((resolve, reject) => {
      const check = () => {
        if (sum() < target) return;
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(check);
        reject(new Error(`waited in vain for ${count} writes that are ${outcomes.join(' or ')}`));
      }, patienceMs);
      this.#waiting.add(check);
      check();
    });
  }

  async #work(writer: Writer): Promise<void> {
    while (!this.#isPaused) {
      const { url } = await this.#find();
      const outcome = await writer.write(new Client(url, writer.person.cookie));
      this.counts[outcome] += 1;
      for (const check of [...this.#waiting]) check();
      if (outcome === 'unsent' || isUncertain(outcome)) await pause(pauseMs);
    }
  }
}
