import { signal } from '@preact/signals';
import { problem, type Replica, status } from 'taskgate-client';
import { storage, store } from './storage.ts';

export interface Account {
  readonly id: string;
  readonly email: string | null;
}

/** The account that this browser opens first, even offline. */
export const accountKey = 'taskgate:account';
/** Id of the account whose session has ended elsewhere. A page load does not show it before it signs in again. */
const endedKey = 'taskgate:ended';

export function storedAccount(): Account | undefined {
  return (JSON.parse(storage?.getItem(accountKey) ?? 'null') as Account | null) ?? undefined;
}

export function forgetAccount(): void {
  storage?.removeItem(accountKey);
  storage?.removeItem(endedKey);
}

/** Notifies other tabs. The next page load must not open the previous account. */
export function storeAccount(account: Account): void {
  if (!store(accountKey, JSON.stringify(account))) forgetAccount();
}

/** Whether the session has ended elsewhere. The sign-in page then replaces the account, also if the network is lost afterwards. */
export const hasEnded = signal(false);

export const isStoredAsEnded = ({ id }: Account): boolean => storage?.getItem(endedKey) === id;

export function storeEnd({ id }: Account): void {
  if (!store(endedKey, id)) forgetAccount();
}

export function forgetEnd(): void {
  hasEnded.value = false;
  storage?.removeItem(endedKey);
}

/** A session has ended until the service accepts the account again. */
export function followEnd(replica: Replica, account: Account): void {
  const follow = () => {
    if (replica.read(problem)?.code === 'UNAUTHENTICATED') {
      hasEnded.value = true;
      storeEnd(account);
    } else if (replica.read(status) !== 'offline') forgetEnd();
  };
  replica.subscribe(problem, follow);
  replica.subscribe(status, follow);
}
