import { signal } from '@preact/signals';
import {
  type Client,
  createClient,
  createReplica,
  indexedDbStorage,
  pending,
  type Replica,
  TaskgateError,
} from 'taskgate-client';
import { forgetTexts } from './kept-texts.ts';
import { wantedAddress } from './paths.ts';
import { go } from './router.ts';
import { storage } from './storage.ts';
import { adoptZone } from './time-zone.ts';

const url = location.origin;

/** Begins sessions, and asks whose the present one is: its requests name no account. */
export const entryClient = createClient({ url });

/** Who is signed in. */
export interface Account {
  readonly id: string;
  readonly email: string | null;
}

/** What the page shows as a whole: nothing yet, why it cannot open, the sign-in, or an account. */
type Session =
  | { readonly state: 'opening' }
  | { readonly state: 'failed' }
  | { readonly state: 'signed out'; readonly problem?: string }
  | {
      readonly state: 'signed in';
      readonly account: Account;
      /** Its requests name the account: another tab may have signed in as a different user. */
      readonly client: Client;
      readonly replica: Replica;
    };

export const session = signal<Session>({ state: 'opening' });

/** Who is signed in. @throws Error if nobody is */
function signedIn(): Extract<Session, { state: 'signed in' }> {
  const { value } = session;
  if (value.state !== 'signed in') throw new Error('Nobody is signed in');
  return value;
}

/** The replica of the account that is shown. @throws Error if nobody is signed in */
export const theReplica = (): Replica => signedIn().replica;

/** The service for the account that is shown. @throws Error if nobody is signed in */
export const theClient = (): Client => signedIn().client;

/** The account that is shown. @throws Error if nobody is signed in */
export const theAccount = (): Account => signedIn().account;

/** Which account this browser shows at its next start, also without a network. */
const storedAs = 'taskgate:account';

function storedAccount(): Account | undefined {
  return (JSON.parse(storage?.getItem(storedAs) ?? 'null') as Account | null) ?? undefined;
}

/** The account of the session's cookie. @returns undefined where there is no session @throws where nobody knows */
async function accountOfCookie(options?: Parameters<Client['graphql']>[2]): Promise<Account | undefined> {
  const { viewer } = await entryClient.graphql<{ viewer: Account | null }>('{ viewer { id email } }', {}, options);
  return viewer ?? undefined;
}

/** The address of the page that an external provider leads back to. */
export const returnAddress = (): string => {
  const url = new URL(wantedAddress(), location.origin);
  url.searchParams.set('signed-in', '');
  return url.pathname + url.search + url.hash;
};

/** Shows the browser's account, or why it cannot. */
export async function openSession(): Promise<void> {
  try {
    await openAccount();
  } catch (error) {
    if (session.value.state === 'opening') session.value = { state: 'failed' };
    throw error;
  }
}

/** Shows the account that was shown last at once, then the one of the session where that is another one. */
async function openAccount(): Promise<void> {
  const url = new URL(location.href);
  const problem = url.searchParams.get('error') ?? undefined;
  const isBack = url.searchParams.has('signed-in');
  const stored = isBack ? undefined : storedAccount();
  if (stored) await enter(stored);
  const account = await accountOfCookie(stored && { maxAttempts: 1 }).catch(() => stored);
  if (isBack) {
    if (account) await adoptZone(account);
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
  storage?.setItem(storedAs, JSON.stringify(account));
  if (before.state === 'signed in') {
    if (before.account.id === account.id) return before.replica.reconnect();
    session.value = { state: 'opening' };
    await before.replica.close();
    // Nothing of the other account is left in a new page.
    return location.replace('/today');
  }
  const client = createClient({ url, account: account.id });
  const replica = await createReplica({ client, storage: indexedDbStorage(account.id), account: account.id });
  session.value = { state: 'signed in', account, client, replica };
}

/**
 * Ends the session, and what is kept of the account in this browser; what is not sent yet is kept for its next sign-in.
 * @throws TaskgateError where the service cannot be reached: the session goes on
 */
export async function signOut(): Promise<void> {
  await theClient()
    .graphql('mutation { signOut }')
    .catch((error: unknown) => {
      // The account's session has ended already: one of another account goes on.
      if (!(error instanceof TaskgateError && error.code === 'UNAUTHENTICATED')) throw error;
    });
  await leave();
}

/**
 * Leaves the account in this browser, whose session has ended.
 * @param forget also what is not sent yet
 */
export async function leave({ forget = false } = {}): Promise<void> {
  const { value } = session;
  if (value.state !== 'signed in') return;
  // Another tab may have signed in as a different user, which this browser goes on with.
  if (storedAccount()?.id === value.account.id) storage?.removeItem(storedAs);
  session.value = { state: 'opening' };
  const isKept = !forget && value.replica.read(pending).length > 0;
  await value.replica.close();
  if (!isKept) {
    forgetTexts(value.account.id);
    await deleteDatabase(`taskgate:${value.account.id}`);
  }
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
    if (key === storedAs) void showAnew();
  });
}

/** Shows this browser's account in a new page, once all that was done here is stored. */
async function showAnew(): Promise<void> {
  const before = session.value;
  session.value = { state: 'opening' };
  if (before.state === 'signed in') await before.replica.close();
  location.reload();
}
