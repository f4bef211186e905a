import { signal } from '@preact/signals';
import { type ErrorDetails, isUndoable, type MutationName, type MutationHandle, TaskgateError } from 'taskgate-client';
import { texts } from '../texts.ts';
import type { PageLink } from './places.ts';
import { theReplica } from './session.ts';

/** A message about the latest change. It is shown for eight seconds. */
interface Notice {
  readonly text: string;
  /** Number of mutations that "Undo" reverts. 0 if it cannot be undone. */
  readonly steps: number;
  /** The page that shows the moved task. */
  readonly page?: PageLink | undefined;
  /** A follow-up action. */
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

/** Announces a change and offers to undo it. @param steps number of mutations in the change */
export const notifyDone = (name: MutationName, text = texts.done(name), steps = 1, page?: PageLink): void => {
  if (text !== '') show({ text, steps: isUndoable(name) ? steps : 0, page });
};

/** Adds a follow-up action to the current notice. */
export const offerMore = (action: string, act: () => void): void => {
  if (notice.value) notice.value = { ...notice.value, more: { action, act } };
};

/** Shows a notice without an undo. */
export const notify = (text: string): void => show({ text, steps: 0 });

/** A suggested action. It stays until the user chooses or dismisses it. */
interface Offer {
  readonly text: string;
  readonly action: string;
  readonly act: () => void;
  readonly forget: () => void;
}

export const offers = signal<readonly Offer[]>([]);

export const offer = (next: Offer): void => void (offers.value = [...offers.value, next]);
export const endOffer = (ended: Offer): void => void (offers.value = offers.value.filter((each) => each !== ended));

/** Undoes the latest change of this window, with all mutations of the current notice. */
export function undoLatest(): void {
  const handle: MutationHandle | undefined = theReplica().undo();
  if (!handle) return notify(texts.nothingToUndo);
  for (let left = (notice.value?.steps ?? 1) - 1; left > 0; left -= 1) theReplica().undo();
  notify(texts.undone);
}

/** Returns a text for the error of a refused change. */
export const reasonOf = ({ code, message, errors: [first] = [] }: ErrorDetails): string =>
  texts.problems[code] ?? (first ? texts.invalid(first.path, first.message) : message);

/** Returns a text for any error. */
export const textOf = (error: unknown): string =>
  error instanceof TaskgateError ? reasonOf(error) : texts.unknownProblem;
