import { signal } from '@preact/signals';
import { type ErrorDetails, isUndoable, type MutationName, type MutationHandle, TaskgateError } from 'taskgate-client';
import { texts } from '../texts.ts';
import type { PageLink } from './places.ts';
import { theReplica } from './session.ts';

/** What was done last, for eight seconds, and whether it can be undone. */
interface Notice {
  readonly text: string;
  /** Mutations that an undo takes back; 0: it cannot be undone. */
  readonly steps: number;
  /** The page that a task has gone to. */
  readonly page?: PageLink | undefined;
  /** An action that goes with the change. */
  readonly more?: { readonly action: string; readonly act: () => void };
}

export const notice = signal<Notice | undefined>(undefined);

const shownMs = 8000;
let timer: ReturnType<typeof setTimeout> | undefined;

function show(next: Notice): void {
  clearTimeout(timer);
  notice.value = next;
  timer = setTimeout(() => (notice.value = undefined), shownMs);
}

/** Says that something was done here, which can be undone. @param steps its number of mutations */
export const notifyDone = (name: MutationName, text = texts.done(name), steps = 1, page?: PageLink): void => {
  if (text !== '') show({ text, steps: isUndoable(name) ? steps : 0, page });
};

/** Adds an action to the notice of the last change. */
export const offerMore = (action: string, act: () => void): void => {
  if (notice.value) notice.value = { ...notice.value, more: { action, act } };
};

/** Says something that cannot be undone. */
export const notify = (text: string): void => show({ text, steps: 0 });

/** An action that the user may choose. It stays until it is chosen or dismissed. */
interface Offer {
  readonly text: string;
  readonly action: string;
  readonly act: () => void;
  readonly forget: () => void;
}

export const offers = signal<readonly Offer[]>([]);

export const offer = (next: Offer): void => void (offers.value = [...offers.value, next]);
export const endOffer = (ended: Offer): void => void (offers.value = offers.value.filter((each) => each !== ended));

/** Undoes the latest change of this window: all of the one that is shown, where it is. */
export function undoLatest(): void {
  const handle: MutationHandle | undefined = theReplica().undo();
  if (!handle) return notify(texts.nothingToUndo);
  for (let left = (notice.value?.steps ?? 1) - 1; left > 0; left -= 1) theReplica().undo();
  notify(texts.undone);
}

/** Why something was refused, for people. */
export const reasonOf = ({ code, message, errors: [first] = [] }: ErrorDetails): string =>
  texts.problems[code] ?? (first ? texts.invalid(first.path, first.message) : message);

/** What went wrong, for people. */
export const textOf = (error: unknown): string =>
  error instanceof TaskgateError ? reasonOf(error) : texts.unknownProblem;
