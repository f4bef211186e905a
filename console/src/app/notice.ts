import { signal } from '@preact/signals';
import {
  type ErrorDetails,
  isUndoable,
  type MutationHandle,
  type MutationName,
  RuleError,
  TaskgateError,
} from 'taskgate-client';
import { texts } from '../texts.ts';
import type { PageLink } from './page-links.ts';
import { currentReplica, request } from './session.ts';

interface Notice {
  readonly text: string;
  readonly isUndoable?: boolean;
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

/** Keys of the mutations in the latest change. */
let latestKeys = new Set<string>();
/** The keys of each change, by each of its keys, oldest first. */
const changes = new Map<string, Set<string>>();
/** As many as the replica can undo. A page may be open for days. */
const maxKeys = 1000;

/** @param steps number of mutations in the change so far */
export function notifyChange(
  { key, settled }: MutationHandle,
  name: MutationName,
  text = texts.done(name),
  steps = 1,
  page?: PageLink,
): void {
  if (steps === 1) latestKeys = new Set();
  const keys = latestKeys.add(key);
  changes.set(key, keys);
  const [oldest = ''] = changes.keys();
  if (changes.size > maxKeys) changes.delete(oldest);
  void settled.then(({ status }) => {
    if (status !== 'refused' || !keys.delete(key)) return;
    // The button would undo an earlier change.
    if (keys === latestKeys && keys.size === 0 && notice.value?.isUndoable) notice.value = undefined;
  });
  if (text !== '') show({ text, isUndoable: isUndoable(name), page });
}

export const offerMore = (action: string, run: () => void): void => {
  if (notice.value) notice.value = { ...notice.value, more: { action, run } };
};

export const notify = (text: string): void => show({ text });

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

const tryUndo = 'mutation ($id: ID!) { undo(operationId: $id, dryRun: true) { applied } }';

/** Undoes the latest change of this window with all its mutations. */
export function undoLatest(): void {
  const handle = currentReplica().undo();
  if (!handle) return notify(texts.nothingToUndo);
  const keys = changes.get(handle.undoneKey ?? '');
  for (let count = keys?.size ?? 1; count > 1; count -= 1) currentReplica().undo();
  notify(texts.undone);
  // The outcome does not tell, but if anything was undone, the service refuses to undo it again.
  const repeat = async () => {
    await request(tryUndo, { id: handle.undoneKey });
    notify(texts.nothingUndone);
  };
  void handle.settled.then(repeat).catch(() => undefined);
}

export const errorReason = ({ code, message, errors: [first] = [] }: ErrorDetails): string =>
  texts.problems[code] ?? (first ? texts.invalid(first.path, first.message) : message);

export function errorText(error: unknown): string {
  if (error instanceof RuleError) return texts.invalid(error.field, error.message);
  return error instanceof TaskgateError ? errorReason(error) : texts.unknownProblem;
}
