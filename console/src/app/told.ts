import { signal } from '@preact/signals';
import { isUndoable, type MutationName, type MutationHandle, TaskgateError } from 'taskgate-client';
import { texts } from '../texts.ts';
import { theReplica } from './session.ts';

/** What was done last, for eight seconds, and whether it can be undone. */
interface Told {
  readonly text: string;
  /** Mutations that an undo takes back; 0: it cannot be undone. */
  readonly steps: number;
}

export const told = signal<Told | undefined>(undefined);

const shownMs = 8000;
let timer: ReturnType<typeof setTimeout> | undefined;

function show(next: Told): void {
  clearTimeout(timer);
  told.value = next;
  timer = setTimeout(() => (told.value = undefined), shownMs);
}

/** Says that something was done here, which can be undone. @param steps by so many mutations */
export const tell = (name: MutationName, text = texts.done[name], steps = 1): void => {
  if (text !== '') show({ text, steps: isUndoable(name) ? steps : 0 });
};

/** Says something that cannot be undone. */
export const say = (text: string): void => show({ text, steps: 0 });

/** Undoes the latest change of this window: all of the one that is shown, where it is. */
export function undoLatest(): void {
  const handle: MutationHandle | undefined = theReplica().undo();
  if (!handle) return say(texts.nothingToUndo);
  for (let left = (told.value?.steps ?? 1) - 1; left > 0; left -= 1) theReplica().undo();
  say(texts.undone);
}

/** The text of what went wrong, for people. */
export const textOf = (error: unknown): string => {
  if (!(error instanceof TaskgateError)) return texts.unknownProblem;
  const [first] = error.errors;
  if (first) return `${first.path ? `${first.path.split('.').at(-1) ?? ''}: ` : ''}${first.message}`;
  return texts.problems[error.code] ?? error.message;
};
