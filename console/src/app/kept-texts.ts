import { locks, storage } from './storage.ts';

/** A text that is being typed. The browser keeps it, so that it outlives the page. */
export interface KeptText {
  /** The text when typing began. */
  readonly base: string;
  readonly text: string;
}

/** Of an account, a task and a field. */
const prefixOf = (account: string) => `taskgate:text:${account}:`;

/** Names this page: it holds a lock of that name for as long as it lives. */
const page = crypto.getRandomValues(new Uint32Array(4)).join('-');

const read = (key: string) =>
  JSON.parse(storage?.getItem(key) ?? 'null') as (KeptText & { readonly page: string }) | null;

/** @param name of the task and the field */
export function keepText(account: string, name: string, { base, text }: KeptText): void {
  try {
    storage?.setItem(prefixOf(account) + name, JSON.stringify({ base, text, page }));
  } catch {
    // There is no room: it is kept by the page alone.
  }
}

/** Forgets a text, unless it is another one by now, or another page's. */
export function forgetText(account: string, name: string, text: string): void {
  const key = prefixOf(account) + name;
  const kept = read(key);
  if (kept?.page === page && kept.text === text) storage?.removeItem(key);
}

const keysOf = (account: string) => Object.keys(storage ?? {}).filter((key) => key.startsWith(prefixOf(account)));

/** Forgets all texts of an account. */
export function forgetTexts(account: string): void {
  for (const key of keysOf(account)) storage?.removeItem(key);
}

/** Takes over the texts of other pages: at once if such a page has ended, else when it ends. */
export function takeTexts(account: string, take: (name: string, kept: KeptText) => void): void {
  if (!locks) return;
  void locks.request(page, () => new Promise(() => undefined));
  for (const key of keysOf(account)) {
    const owner = read(key)?.page;
    if (owner === undefined || owner === page) continue;
    void locks.request(owner, () => {
      const kept = read(key);
      if (kept?.page !== owner) return;
      const name = key.slice(prefixOf(account).length);
      keepText(account, name, kept);
      take(name, kept);
    });
  }
}
