import { signal } from '@preact/signals';
import { type MutationName, type MutationHandle, TaskgateError } from 'taskgate-client';
import { texts } from '../texts.ts';
import { theReplica } from './session.ts';

/** What was done last, for eight seconds, and whether it can be undone. */
interface Told {
  readonly text: string;
  readonly canBeUndone: boolean;
}

export const told = signal<Told | undefined>(undefined);

const shownMs = 8000;
let timer: ReturnType<typeof setTimeout> | undefined;

function show(next: Told): void {
  clearTimeout(timer);
  told.value = next;
  timer = setTimeout(() => (told.value = undefined), shownMs);
}

/** Says that something was done here, which can be undone. */
export const tell = (name: MutationName, text = texts.done[name]): void => {
  if (text !== '') show({ text, canBeUndone: !forGood.has(name) });
};

/** Says something that cannot be undone. */
export const say = (text: string): void => show({ text, canBeUndone: false });

/** What the history does not undo. */
const forGood = new Set<MutationName>(['createWorkspace', 'deleteWorkspace', 'leaveWorkspace', 'updatePreferences']);

/** Undoes the latest change of this window. */
export function undoLatest(): void {
  const handle: MutationHandle | undefined = theReplica().undo();
  if (!handle) return say(texts.nothingToUndo);
  say(texts.undone);
}

/** The text of what went wrong, for people. */
export const textOf = (error: unknown): string => {
  if (!(error instanceof TaskgateError)) return texts.unknownProblem;
  const [first] = error.errors;
  if (first) return `${first.path ? `${first.path.split('.').at(-1) ?? ''}: ` : ''}${first.message}`;
  return texts.problems[error.code] ?? error.message;
};
