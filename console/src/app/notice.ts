import { signal } from '@preact/signals';
import { type ErrorDetails, isUndoable, type MutationName, type MutationHandle, TaskgateError } from 'taskgate-client';
import { texts } from '../texts.ts';
import type { PageLink } from './places.ts';
import { theReplica } from './session.ts';

interface Notice {
  readonly text: string;
  /** Number of mutations that "Undo" reverts. 0 if it cannot be undone. */
  readonly steps: number;
  readonly page?: PageLink | undefined;
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

/** @param steps number of mutations in the change */
export const notifyDone = (name: MutationName, text = texts.done(name), steps = 1, page?: PageLink): void => {
  if (text !== '') show({ text, steps: isUndoable(name) ? steps : 0, page });
};

export const offerMore = (action: string, act: () => void): void => {
  if (notice.value) notice.value = { ...notice.value, more: { action, act } };
};

export const notify = (text: string): void => show({ text, steps: 0 });

/** A suggested action. It has no time limit. */
interface Offer {
  readonly text: string;
  readonly action: string;
  readonly act: () => void;
  readonly forget: () => void;
}

export const offers = signal<readonly Offer[]>([]);

export const offer = (next: Offer): void => void (offers.value = [...offers.value, next]);
export const endOffer = (ended: Offer): void => void (offers.value = offers.value.filter((each) => each !== ended));

/** Undoes the latest change of this window with all its mutations. */
export function undoLatest(): void {
  const handle: MutationHandle | undefined = theReplica().undo();
  if (!handle) return notify(texts.nothingToUndo);
  for (let left = (notice.value?.steps ?? 1) - 1; left > 0; left -= 1) theReplica().undo();
  notify(texts.undone);
}

export const reasonOf = ({ code, message, errors: [first] = [] }: ErrorDetails): string =>
  texts.problems[code] ?? (first ? texts.invalid(first.path, first.message) : message);

export const textOf = (error: unknown): string =>
  error instanceof TaskgateError ? reasonOf(error) : texts.unknownProblem;
