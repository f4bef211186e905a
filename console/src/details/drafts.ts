import { signal } from '@preact/signals';
import { type Task, tasks } from 'taskgate-client';
import { deleteDraft, saveDraft, type StoredDraft, takeOverDrafts } from '../app/draft-storage.ts';
import { offer } from '../app/notice.ts';
import { change, waitUntilCurrent } from '../app/replica.ts';
import { currentAccount, currentReplica } from '../app/session.ts';
import { texts } from '../texts.ts';
import { merge } from './merge.ts';

export type TextField = 'title' | 'description';

export const maxLengths: Readonly<Record<TextField, number>> = { title: 500, description: 16_384 };

/** Unsent texts by task and field. */
const drafts = signal<ReadonlyMap<string, StoredDraft>>(new Map());

const draftName = (id: string, field: TextField) => `${id}:${field}`;

export const draftText = (id: string, field: TextField): string | undefined =>
  drafts.value.get(draftName(id, field))?.text;

/** @param previousText the previous text of the field */
export function setDraft({ id }: Task, field: TextField, previousText: string, text: string): void {
  const name = draftName(id, field);
  const next = { base: drafts.value.get(name)?.base ?? previousText, text };
  drafts.value = new Map(drafts.value).set(name, next);
  saveDraft(currentAccount().id, name, next);
}

/** Sends the text as one change, merged with changes that others made since typing began. */
export function sendDraft(id: string, field: TextField): void {
  const name = draftName(id, field);
  const draft = drafts.value.get(name);
  if (!draft) return;
  const { base, text } = draft;
  drafts.value = new Map([...drafts.value].filter(([each]) => each !== name));
  const account = currentAccount().id;
  const discard = () => deleteDraft(account, name, text);
  const task = currentReplica().read(tasks.byId(id));
  const mine = field === 'title' ? text.replaceAll('\n', ' ').trim() : text;
  const theirs = task?.[field] ?? '';
  if (!task || mine === base || mine === theirs || (field === 'title' && mine === '')) return discard();
  const update = (next: string) =>
    void change('updateTask', { id, input: { [field]: next === '' ? null : next } }).settled.then(discard);
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
    void waitUntilCurrent().then(() => sendDraft(id, field as TextField));
  });
}
