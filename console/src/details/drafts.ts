import { signal } from '@preact/signals';
import { tasks } from 'taskgate-client';
import { deleteDraft, saveDraft, type StoredDraft, takeOverDrafts } from '../app/draft-storage.ts';
import { offer } from '../app/notice.ts';
import { change, waitUntilCurrent } from '../app/replica.ts';
import { currentAccount, currentReplica } from '../app/session.ts';
import { maxTitleLength } from '../characters.ts';
import { texts } from '../texts.ts';
import { merge } from './merge.ts';

export type TextField = 'title' | 'description';

/** Comments and subtasks are sent by their forms. */
type DraftField = TextField | 'comment' | 'subtask';

export const maxLengths: Readonly<Record<DraftField, number>> = {
  title: maxTitleLength,
  description: 16_384,
  comment: 16_384,
  subtask: maxTitleLength,
};

/** Unsent texts by task or comment, and field. */
const drafts = signal<ReadonlyMap<string, StoredDraft>>(new Map());

const draftName = (id: string, field: DraftField) => `${id}:${field}`;

export const draftText = (id: string, field: DraftField): string | undefined =>
  drafts.value.get(draftName(id, field))?.text;

/** @param previousText the previous text of the field */
export function setDraft({ id }: { readonly id: string }, field: DraftField, previousText: string, text: string): void {
  const name = draftName(id, field);
  const next = { base: drafts.value.get(name)?.base ?? previousText, text };
  drafts.value = new Map(drafts.value).set(name, next);
  saveDraft(currentAccount().id, name, next);
}

/** Adds a text below the comment that is being typed. @param id of the task or comment */
export function addToComment(id: string, text: string): void {
  const typed = draftText(id, 'comment') ?? '';
  setDraft({ id }, 'comment', '', typed.trim() === '' ? text : `${typed}\n${text}`);
}

const forget = (name: string) => void (drafts.value = new Map([...drafts.value].filter(([each]) => each !== name)));

export function discardDraft(id: string, field: DraftField): void {
  const name = draftName(id, field);
  deleteDraft(currentAccount().id, name, draftText(id, field) ?? '');
  forget(name);
}

/** Sends the text as one change, merged with changes that others made since typing began. */
export function sendDraft(id: string, field: TextField): void {
  const name = draftName(id, field);
  const draft = drafts.value.get(name);
  if (!draft) return;
  const { base, text } = draft;
  forget(name);
  const account = currentAccount().id;
  const discard = () => deleteDraft(account, name, text);
  const task = currentReplica().read(tasks.byId(id));
  const mine = field === 'title' ? text.replaceAll('\n', ' ').trim() : text;
  const theirs = task?.[field] ?? '';
  if (mine === base || mine === theirs || (field === 'title' && mine === '')) return discard();
  const update = (next: string) =>
    void change('updateTask', { id, input: { [field]: next === '' ? null : next } }).settled.then(discard);
  // The service refuses it, and the refusal shows the text.
  if (!task)
    return void currentReplica()
      .mutate('updateTask', { id, input: { [field]: mine } })
      .settled.then(discard);
  const merged = theirs === base ? mine : merge(base, mine, theirs);
  if (merged === theirs) return discard();
  if (merged !== undefined && merged.length <= maxLengths[field]) return update(merged);
  offer({
    text: texts.editConflict(field, task.title, mine),
    action: texts.useMine,
    run: () => update(mine),
    dismiss: discard,
  });
}

/** Sends texts that closed, reloaded or crashed pages left behind. */
export function sendAbandonedDrafts(): void {
  takeOverDrafts(currentAccount().id, (name, draft) => {
    drafts.value = new Map(drafts.value).set(name, draft);
    const [id = '', field] = name.split(':');
    if (field === 'title' || field === 'description') void waitUntilCurrent().then(() => sendDraft(id, field));
  });
}
