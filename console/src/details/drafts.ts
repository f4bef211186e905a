import { signal } from '@preact/signals';
import { type Task, tasks } from 'taskgate-client';
import { forgetText, keepText, type KeptText, takeTexts } from '../app/kept-texts.ts';
import { offer } from '../app/notice.ts';
import { change, whenCurrent } from '../app/replica.ts';
import { theAccount, theReplica } from '../app/session.ts';
import { texts } from '../texts.ts';
import { merge } from './merge.ts';

export type TextField = 'title' | 'description';

export const maxLengths: Readonly<Record<TextField, number>> = { title: 500, description: 16_384 };

/** Unsent texts by task and field. */
const drafts = signal<ReadonlyMap<string, KeptText>>(new Map());

const nameOf = (id: string, field: TextField) => `${id}:${field}`;

export const draftOf = (id: string, field: TextField): string | undefined => drafts.value.get(nameOf(id, field))?.text;

/** @param shown the previous text of the field */
export function draft({ id }: Task, field: TextField, shown: string, text: string): void {
  const name = nameOf(id, field);
  const next = { base: drafts.value.get(name)?.base ?? shown, text };
  drafts.value = new Map(drafts.value).set(name, next);
  keepText(theAccount().id, name, next);
}

/** Sends the text as one change, merged with changes that others made since typing began. */
export function send(id: string, field: TextField): void {
  const name = nameOf(id, field);
  const typed = drafts.value.get(name);
  if (!typed) return;
  const { base, text } = typed;
  drafts.value = new Map([...drafts.value].filter(([each]) => each !== name));
  const account = theAccount().id;
  const forget = () => forgetText(account, name, text);
  const task = theReplica().read(tasks.byId(id));
  const mine = field === 'title' ? text.replaceAll('\n', ' ').trim() : text;
  const theirs = task?.[field] ?? '';
  if (!task || mine === base || mine === theirs || (field === 'title' && mine === '')) return forget();
  const put = (next: string) =>
    void change('updateTask', { id, input: { [field]: next === '' ? null : next } }).settled.then(forget);
  const merged = theirs === base ? mine : merge(base, mine, theirs);
  if (merged === theirs) return forget();
  if (merged !== undefined && merged.length <= maxLengths[field]) return put(merged);
  offer({ text: texts.theirsStays(field, task.title, mine), action: texts.useMine, act: () => put(mine), forget });
}

/** Sends texts that closed, reloaded or crashed pages left behind. */
export function sendLeftTexts(): void {
  takeTexts(theAccount().id, (name, kept) => {
    drafts.value = new Map(drafts.value).set(name, kept);
    const [id = '', field] = name.split(':');
    void whenCurrent().then(() => send(id, field as TextField));
  });
}
