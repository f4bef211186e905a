import type { TaskStream } from '../operation.ts';
import type { Caller } from '../route.ts';
import { type TaskRecord, toTodoWithTags } from './task-shape.ts';

/** Writes tasks in depth-first order as a list of trees; each subtask stands within its parent's `children`. */
class TreeWriter {
  readonly #caller: Caller;
  /** Tasks that are open: their `children` are not yet all written. */
  #open = 0;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** @param isFirst whether it is the first entry of its list */
  task(task: TaskRecord, level: number, isFirst: boolean): string {
    const own = JSON.stringify(toTodoWithTags(task, this.#caller)).slice(0, -1);
    const isFirstChild = level === this.#open && level > 0;
    const before = isFirst || isFirstChild ? '' : `${this.#close(level)},`;
    this.#open = level + 1;
    return `${before}${own},"children":[`;
  }

  /** Ends what is open. */
  end(): string {
    return this.#close(0);
  }

  #close(level: number): string {
    const closed = ']}'.repeat(this.#open - level);
    this.#open = level;
    return closed;
  }
}

/** `{todos}` of the task list, as its reply is when it is made as a whole. */
export async function* writeTodos(stream: TaskStream<TaskRecord>, caller: Caller): AsyncGenerator<string> {
  const writer = new TreeWriter(caller);
  let isFirst = true;
  let text = '{"todos":[';
  for await (const batch of stream) {
    for (const { level, task } of batch) {
      if (level === null || !task) continue;
      text += writer.task(task, level, isFirst);
      isFirst = false;
    }
    yield text;
    text = '';
  }
  yield `${text}${writer.end()}]}`;
}

/** `{sections}` of a project, each with its `todos`. */
export async function* writeSections(
  stream: TaskStream<TaskRecord, { id: string }>,
  caller: Caller,
): AsyncGenerator<string> {
  let writer = new TreeWriter(caller);
  let open: string | undefined;
  let isFirst = true;
  let text = '{"sections":[';
  for await (const batch of stream) {
    for (const { level, task, section } of batch) {
      if (section && section.id !== open) {
        text += `${open === undefined ? '' : `${writer.end()}]},`}${JSON.stringify(section).slice(0, -1)},"todos":[`;
        [open, isFirst, writer] = [section.id, true, new TreeWriter(caller)];
      }
      if (level === null || !task) continue;
      text += writer.task(task, level, isFirst);
      isFirst = false;
    }
    yield text;
    text = '';
  }
  yield `${text}${open === undefined ? '' : `${writer.end()}]}`}]}`;
}
