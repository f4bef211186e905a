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
import { deleteDrafts } from './draft-storage.ts';
import {
  type Account,
  accountKey,
  followEnd,
  forgetAccount,
  forgetEnd,
  storeAccount,
  storedAccount,
  isStoredAsEnded,
  storeEnd,
} from './last-account.ts';
import { addressAfterSignIn, consentPath } from './paths.ts';
import { go } from './router.ts';
import { adoptZone } from './time-zone.ts';

const url = location.origin;

/** Its requests name no account. They begin a session or ask for its account. */
export const entryClient = createClient({ url });

type Session =
  | { readonly state: 'opening' }
  | { readonly state: 'failed' }
  | {
      readonly state: 'signed out';
      readonly problem?: string | undefined;
      /** Address of the account whose session has ended. */
      readonly email?: string | undefined;
    }
  | {
      readonly state: 'signed in';
      readonly account: Account;
      /** Its requests name the account, because another tab may have signed in as a different user. */
      readonly client: Client;
      readonly replica: Replica;
    };

type SignedIn = Extract<Session, { state: 'signed in' }>;

export const session = signal<Session>({ state: 'opening' });

/** @throws Error if nobody is signed in */
function requireSession(): SignedIn {
  const { value } = session;
  if (value.state !== 'signed in') throw new Error('Nobody is signed in');
  return value;
}

/** @throws Error if nobody is signed in */
export const currentReplica = (): Replica => requireSession().replica;

/** @throws Error if nobody is signed in */
export const currentClient = (): Client => requireSession().client;

/** @throws Error if nobody is signed in */
export const request: Client['graphql'] = (...input) => currentClient().graphql(...input);

/** @throws Error if nobody is signed in */
export const currentAccount = (): Account => requireSession().account;

/** Undefined if there is no session. @throws TaskgateError if the request fails */
async function accountOfCookie(options?: Parameters<Client['graphql']>[2]): Promise<Account | undefined> {
  const { viewer } = await entryClient.graphql<{ viewer: Account | null }>('{ viewer { id email } }', {}, options);
  return viewer ?? undefined;
}

/** The target of a provider's redirect. */
export const returnAddress = (): string => {
  const url = new URL(addressAfterSignIn(), location.origin);
  url.searchParams.set('signed-in', '');
  return url.pathname + url.search + url.hash;
};

export async function openSession(): Promise<void> {
  try {
    await openAccount();
  } catch (error) {
    if (session.value.state === 'opening') session.value = { state: 'failed' };
    throw error;
  }
}

/** Opens the last account at once, then the account of the session if it is another one. */
async function openAccount(): Promise<void> {
  const url = new URL(location.href);
  const problem = url.searchParams.get('error') ?? undefined;
  const isReturn = url.searchParams.has('signed-in');
  const stored = isReturn ? undefined : storedAccount();
  const shown = stored && isStoredAsEnded(stored) ? undefined : stored;
  if (shown) await enter(shown);
  const account = await accountOfCookie(stored && { maxAttempts: 1 }).catch(() => shown);
  if (isReturn) {
    if (account) await adoptZone(account);
    url.searchParams.delete('signed-in');
    go(url.pathname + url.search + url.hash, { replace: true });
  }
  if (!account) await showSignIn(problem, stored);
  else if (account.id !== shown?.id) await enter(account);
  // Browsers support it only on HTTPS and localhost.
  if ('serviceWorker' in navigator) navigator.serviceWorker.register('/sw.js').catch(() => undefined);
}

/** The storage keeps unsent changes for the next session. @param ended the account that this browser had */
async function showSignIn(problem?: string, ended?: Account): Promise<void> {
  const previous = session.value;
  if (ended) storeEnd(ended);
  session.value = { state: 'signed out', problem, email: ended?.email ?? undefined };
  if (previous.state === 'signed in') await previous.replica.close();
}

/** Unsent changes of another account stay in its own storage. */
export async function enter(account: Account): Promise<void> {
  const previous = session.value;
  storeAccount(account);
  if (previous.state === 'signed in') {
    if (previous.account.id === account.id) {
      forgetEnd();
      return previous.replica.reconnect();
    }
    session.value = { state: 'opening' };
    await previous.replica.close();
    // A page load discards all data of the other account. An application asks any account.
    return location.pathname === consentPath ? location.reload() : location.replace('/today');
  }
  const client = createClient({ url, account: account.id });
  const replica = await createReplica({ client, storage: indexedDbStorage(account.id), account: account.id });
  forgetEnd();
  followEnd(replica, account);
  session.value = { state: 'signed in', account, client, replica };
}

/** Ends the session. Deletes the account's data unless there are unsent changes. @throws TaskgateError if the service is unreachable */
export async function signOut(): Promise<void> {
  await request('mutation { signOut }').catch((error: unknown) => {
    //  The session has ended already.
    if (!(error instanceof TaskgateError && error.code === 'UNAUTHENTICATED')) throw error;
  });
  await leave();
}

/** @param deletesUnsent whether to delete unsent changes too */
export async function leave({ deletesUnsent = false } = {}): Promise<void> {
  const { value } = session;
  if (value.state !== 'signed in') return;
  // Another tab may have signed in as a different user.
  if (storedAccount()?.id === value.account.id) forgetAccount();
  session.value = { state: 'opening' };
  await closeAndDelete(value, deletesUnsent);
  // A page load discards all data of the account.
  location.replace('/');
}

/** Each tab does it, because the replica of another tab writes its data again while it is open. */
async function closeAndDelete({ account: { id }, replica }: SignedIn, deletesUnsent = false): Promise<void> {
  const keepsData = !deletesUnsent && replica.read(pending).length > 0;
  await replica.close();
  if (keepsData) return;
  deleteDrafts(id);
  await deleteDatabase(`taskgate:${id}`);
}

/** Other tabs may delay the deletion. */
const deleteDatabase = (name: string) =>
  new Promise<unknown>((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = request.onerror = request.onblocked = resolve;
  });

export function followTabs(): void {
  addEventListener('storage', ({ key }: StorageEvent) => {
    if (key === accountKey) void reload();
  });
}

/** Reloads once all changes are stored, or deleted after a sign-out. */
async function reload(): Promise<void> {
  const previous = session.value;
  session.value = { state: 'opening' };
  if (previous.state === 'signed in') await (storedAccount() ? previous.replica.close() : closeAndDelete(previous));
  location.reload();
}
