import { locks, storage, store } from './storage.ts';

/** Unsent input that survives the page. */
export interface StoredDraft {
  /** The text when typing began. */
  readonly base: string;
  readonly text: string;
}

const prefixOf = (account: string) => `taskgate:text:${account}:`;

/** The page holds a lock of this name until it ends. */
const page = crypto.getRandomValues(new Uint32Array(4)).join('-');

const read = (key: string) =>
  JSON.parse(storage?.getItem(key) ?? 'null') as (StoredDraft & { readonly page: string }) | null;

/** @param name names the task and the field */
export function saveDraft(account: string, name: string, { base, text }: StoredDraft): void {
  store(prefixOf(account) + name, JSON.stringify({ base, text, page }));
}

/** Deletes a text, unless it has changed or another page owns it. */
export function deleteDraft(account: string, name: string, text: string): void {
  const key = prefixOf(account) + name;
  const draft = read(key);
  if (draft?.page === page && draft.text === text) storage?.removeItem(key);
}

const keysOf = (account: string) => Object.keys(storage ?? {}).filter((key) => key.startsWith(prefixOf(account)));

export const hasDrafts = (account: string): boolean => keysOf(account).some((key) => read(key)?.text.trim() !== '');

export function deleteDrafts(account: string): void {
  for (const key of keysOf(account)) storage?.removeItem(key);
}

/** A page that the user reloads takes its texts back before another open page takes them over. */
const reloadMs = 10_000;

/** Takes over the texts of other pages when these end. */
export function takeOverDrafts(account: string, onDraft: (name: string, draft: StoredDraft) => void): void {
  if (!locks) return;
  void locks.request(page, () => new Promise(() => undefined));
  for (const key of keysOf(account)) {
    const owner = read(key)?.page;
    if (owner === undefined || owner === page) continue;
    const take = () => {
      const draft = read(key);
      if (draft?.page !== owner) return;
      const name = key.slice(prefixOf(account).length);
      saveDraft(account, name, draft);
      onDraft(name, draft);
    };
    const takeLater = () => void setTimeout(take, reloadMs);
    void locks.request(owner, { ifAvailable: true }, (lock) => (lock ? take() : void locks?.request(owner, takeLater)));
  }
}
