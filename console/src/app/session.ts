import { signal } from '@preact/signals';
import { createClient, createReplica, indexedDbStorage, pending, type Replica } from 'taskgate-client';

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

/** The account of the session's cookie. @returns undefined where there is no session, or no network */
async function accountOfCookie(): Promise<Account | undefined> {
  const { viewer } = await client.graphql<{ viewer: Account | null }>('{ viewer { id email } }');
  return viewer ?? undefined;
}

/** The address of the page that an external provider leads back to. */
export const returnAddress = (): string => {
  const params = new URLSearchParams(location.search);
  const path = ['/signup', '/forgot', '/'].includes(location.pathname) ? '/today' : location.pathname;
  return `${params.get('returnTo') ?? path}?signed-in`;
};

/** Shows the account that was shown last, else that of the session. */
export async function openSession(): Promise<void> {
  const params = new URLSearchParams(location.search);
  const problem = params.get('error') ?? undefined;
  const stored = params.has('signed-in') ? undefined : storedAccount();
  const account = stored ?? (await accountOfCookie().catch(() => storedAccount()));
  if (account) await enter(account);
  else session.value = { state: 'signed out', problem };
  // Browsers have it on https and on this machine alone.
  if ('serviceWorker' in navigator) navigator.serviceWorker.register('/sw.js').catch(() => undefined);
}

/** Shows an account after a sign-in. What another one has not sent stays in its own storage. */
export async function enter(account: Account): Promise<void> {
  const before = session.value;
  if (before.state === 'signed in') {
    if (before.account.id === account.id) return before.replica.reconnect();
    session.value = { state: 'opening' };
    await before.replica.close();
  }
  localStorage.setItem(storedAs, JSON.stringify(account));
  const replica = await createReplica({ client, storage: indexedDbStorage(account.id) });
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

/** Forgets the account in this browser, whose session has ended. */
export async function leave(): Promise<void> {
  const { value } = session;
  localStorage.removeItem(storedAs);
  session.value = { state: 'signed out' };
  if (value.state !== 'signed in') return;
  const isAllSent = value.replica.read(pending).length === 0;
  await value.replica.close();
  if (isAllSent) indexedDB.deleteDatabase(`taskgate:${value.account.id}`);
}

/** Follows what other tabs do: a sign-out there, another account. */
export function followTabs(): void {
  addEventListener('storage', ({ key }: StorageEvent) => {
    if (key === storedAs) location.reload();
  });
}
