import type { TaskBatches } from '../../src/door/index.ts';
import type { RestCaller } from '../route.ts';
import { type AssignedTask, type TaskRecord, toTodoWithAssignees, toTodoWithTags } from './task-shape.ts';

/** Writes depth-first tasks as trees of `children`. */
class TreeWriter {
  readonly #caller: RestCaller;
  /** Tasks whose `children` are incomplete. */
  #open = 0;

  constructor(caller: RestCaller) {
    this.#caller = caller;
  }

  task(task: TaskRecord, level: number): string {
    const own = JSON.stringify(toTodoWithTags(task, this.#caller)).slice(0, -1);
    // In this list or below this parent.
    const isFirstOfList = level === this.#open;
    const before = isFirstOfList ? '' : `${this.closing(level)},`;
    this.#open = level + 1;
    return `${before}${own},"children":[`;
  }

  closing(level = 0): string {
    return ']}'.repeat(this.#open - level);
  }
}

export async function* writeTodos(stream: TaskBatches<TaskRecord>, caller: RestCaller): AsyncGenerator<string> {
  const writer = new TreeWriter(caller);
  let text = '{"todos":[';
  for await (const batch of stream) {
    for (const { level, task } of batch) if (level !== null && task) text += writer.task(task, level);
    yield text;
    text = '';
  }
  yield `${text}${writer.closing()}]}`;
}

/** Writes tasks without subtasks. */
export async function* writeAssigned(stream: TaskBatches<AssignedTask>, caller: RestCaller): AsyncGenerator<string> {
  let before = '{"todos":[';
  for await (const batch of stream) {
    let text = '';
    for (const { level, task } of batch) {
      if (level !== 0 || !task) continue;
      text += `${before}${JSON.stringify(toTodoWithAssignees(task, caller))}`;
      before = ',';
    }
    yield text;
  }
  yield before === ',' ? ']}' : `${before}]}`;
}

export async function* writeSections(
  stream: TaskBatches<TaskRecord, { id: string }>,
  caller: RestCaller,
): AsyncGenerator<string> {
  let writer = new TreeWriter(caller);
  let open: string | undefined;
  let text = '{"sections":[';
  for await (const batch of stream) {
    for (const { level, task, section } of batch) {
      if (section && section.id !== open) {
        text += `${open === undefined ? '' : `${writer.closing()}]},`}${JSON.stringify(section).slice(0, -1)},"todos":[`;
        [open, writer] = [section.id, new TreeWriter(caller)];
      }
      if (level !== null && task) text += writer.task(task, level);
    }
    yield text;
    text = '';
  }
  yield `${text}${open === undefined ? '' : `${writer.closing()}]}`}]}`;
}
