import { signal } from '@preact/signals';
import { type ErrorDetails, isUndoable, type MutationName, RuleError, TaskgateError } from 'taskgate-client';
import { texts } from '../texts.ts';
import type { PageLink } from './page-links.ts';
import { currentReplica } from './session.ts';

interface Notice {
  readonly text: string;
  /** Number of mutations that "Undo" reverts. 0 if it cannot be undone. */
  readonly steps: number;
  readonly page?: PageLink | undefined;
  readonly more?: { readonly action: string; readonly run: () => void };
}

export const notice = signal<Notice | undefined>(undefined);

const displayMs = 8000;
let timer: ReturnType<typeof setTimeout> | undefined;

function show(next: Notice): void {
  clearTimeout(timer);
  notice.value = next;
  timer = setTimeout(() => (notice.value = undefined), displayMs);
}

/** Number of mutations in the latest change, also after its notice has gone. */
let latestSteps = 1;

/** @param steps number of mutations in the change */
export const notifyChange = (name: MutationName, text = texts.done(name), steps = 1, page?: PageLink): void => {
  latestSteps = steps;
  if (text !== '') show({ text, steps: isUndoable(name) ? steps : 0, page });
};

export const offerMore = (action: string, run: () => void): void => {
  if (notice.value) notice.value = { ...notice.value, more: { action, run } };
};

export const notify = (text: string): void => show({ text, steps: 0 });

/** A suggested action. It has no time limit. */
interface Offer {
  readonly text: string;
  readonly action: string;
  readonly run: () => void;
  readonly dismiss: () => void;
}

export const offers = signal<readonly Offer[]>([]);

export const offer = (next: Offer): void => void (offers.value = [...offers.value, next]);
export const endOffer = (target: Offer): void => void (offers.value = offers.value.filter((each) => each !== target));

/** Undoes the latest change of this window with all its mutations. */
export function undoLatest(): void {
  const handle = currentReplica().undo();
  if (!handle) return notify(texts.nothingToUndo);
  for (; latestSteps > 1; latestSteps -= 1) currentReplica().undo();
  notify(texts.undone);
}

export const errorReason = ({ code, message, errors: [first] = [] }: ErrorDetails): string =>
  texts.problems[code] ?? (first ? texts.invalid(first.path, first.message) : message);

export function errorText(error: unknown): string {
  if (error instanceof RuleError) return texts.invalid(error.field, error.message);
  return error instanceof TaskgateError ? errorReason(error) : texts.unknownProblem;
}
