import { signal } from '@preact/signals';
import { createClient, createReplica, indexedDbStorage, pending, type Replica } from 'taskgate-client';
import { consoleAddress, isEntryPath } from './paths.ts';
import { go } from './router.ts';

export const client = createClient({ url: location.origin });

/** Who is signed in. */
export interface Account {
  readonly id: string;
  readonly email: string | null;
}

/** What the page shows as a whole: nothing yet, the sign-in, or an account. */
type Session =
  | { readonly state: 'opening' }
  | { readonly state: 'signed out'; readonly problem?: string }
  | { readonly state: 'signed in'; readonly account: Account; readonly replica: Replica };

export const session = signal<Session>({ state: 'opening' });

/** The replica of who is signed in. @throws Error where nobody is */
export function theReplica(): Replica {
  const { value } = session;
  if (value.state !== 'signed in') throw new Error('Nobody is signed in');
  return value.replica;
}

/** Which account this browser shows at its next start, also without a network. */
const storedAs = 'taskgate:account';

function storedAccount(): Account | undefined {
  const text = localStorage.getItem(storedAs);
  return text === null ? undefined : (JSON.parse(text) as Account);
}

/** The account of the session's cookie. @returns undefined where there is no session @throws where nobody knows */
async function accountOfCookie(options?: Parameters<typeof client.graphql>[2]): Promise<Account | undefined> {
  const { viewer } = await client.graphql<{ viewer: Account | null }>('{ viewer { id email } }', {}, options);
  return viewer ?? undefined;
}

/** The address of the page that an external provider leads back to. */
export const returnAddress = (): string => {
  const params = new URLSearchParams(location.search);
  const path = isEntryPath(location.pathname) ? '/today' : location.pathname;
  const url = new URL(consoleAddress(params.get('returnTo') ?? path), location.origin);
  url.searchParams.set('signed-in', '');
  return url.pathname + url.search + url.hash;
};

/** Shows the account that was shown last at once, then the one of the session where that is another one. */
export async function openSession(): Promise<void> {
  const url = new URL(location.href);
  const problem = url.searchParams.get('error') ?? undefined;
  const isBack = url.searchParams.has('signed-in');
  const stored = isBack ? undefined : storedAccount();
  if (stored) await enter(stored);
  const account = await accountOfCookie(stored && { maxAttempts: 1 }).catch(() => stored);
  if (isBack) {
    url.searchParams.delete('signed-in');
    go(url.pathname + url.search + url.hash, { replace: true });
  }
  if (!account) await showEntry(problem);
  else if (account.id !== stored?.id) await enter(account);
  // Browsers have it on https and on this machine alone.
  if ('serviceWorker' in navigator) navigator.serviceWorker.register('/sw.js').catch(() => undefined);
}

/** Shows the sign-in: there is no session. What is not sent is kept for the account's next one. */
async function showEntry(problem?: string): Promise<void> {
  const before = session.value;
  session.value = { state: 'signed out', problem };
  if (before.state === 'signed in') await before.replica.close();
}

/** Shows an account after a sign-in. What another one has not sent stays in its own storage. */
export async function enter(account: Account): Promise<void> {
  const before = session.value;
  // Other tabs are notified, and follow.
  localStorage.setItem(storedAs, JSON.stringify(account));
  if (before.state === 'signed in') {
    if (before.account.id === account.id) return before.replica.reconnect();
    session.value = { state: 'opening' };
    await before.replica.close();
    // Nothing of the other account is left in a new page.
    return location.replace('/today');
  }
  const replica = await createReplica({ client, storage: indexedDbStorage(account.id), account: account.id });
  session.value = { state: 'signed in', account, replica };
}

/**
 * Ends the session, and what is kept of the account in this browser; what is not sent yet is kept for its next sign-in.
 * @throws TaskgateError where the service cannot be reached: the session goes on
 */
export async function signOut(): Promise<void> {
  await client.graphql('mutation { signOut }');
  await leave();
}

/**
 * Leaves the account in this browser, whose session has ended.
 * @param forget also what is not sent yet
 */
export async function leave({ forget = false } = {}): Promise<void> {
  const { value } = session;
  localStorage.removeItem(storedAs);
  if (value.state !== 'signed in') return;
  session.value = { state: 'opening' };
  const isKept = !forget && value.replica.read(pending).length > 0;
  await value.replica.close();
  if (!isKept) await deleteDatabase(`taskgate:${value.account.id}`);
  // Nothing of the account is left in a new page.
  location.replace('/');
}

/** @returns once it is gone, or is going to be when other tabs have left it */
const deleteDatabase = (name: string) =>
  new Promise<unknown>((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = request.onerror = request.onblocked = resolve;
  });

/** Follows what other tabs do: a sign-out there, another account. */
export function followTabs(): void {
  addEventListener('storage', ({ key }: StorageEvent) => {
    if (key === storedAs) location.reload();
  });
}
