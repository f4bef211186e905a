import { createClient } from 'taskgate-client';
import { zone } from './days.ts';

/** The time zone of an account that has not chosen one. */
export const unchosen = 'UTC';
/** The same zone for an account that has chosen it. */
export const chosenUtc = 'Etc/UTC';

const nameOf = (timeZone: string) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return timeZone;
  }
};

/** Whether the browser is in a time zone: one zone may have several names. */
export const isHere = (timeZone: string): boolean => nameOf(timeZone) === nameOf(zone.value);

/** A session that begins this soon after its account was made belongs to the sign-up. */
const signUpMs = 60_000;

interface New {
  readonly viewer: {
    readonly createdAt: string;
    readonly sessions: readonly { createdAt: string; current: boolean }[];
  };
}

/** Gives a new account the browser's time zone. If this fails, the account is offered the zone later. */
export async function adoptZone({ id }: { readonly id: string }): Promise<void> {
  const client = createClient({ url: location.origin, account: id });
  const once = { maxAttempts: 1 };
  try {
    const { viewer } = await client.graphql<New>('{ viewer { createdAt sessions { createdAt current } } }', {}, once);
    const session = viewer.sessions.find(({ current }) => current);
    if (!session || Date.parse(session.createdAt) - Date.parse(viewer.createdAt) > signUpMs) return;
    const adopt = 'mutation ($timeZone: String) { updatePreferences(input: { timeZone: $timeZone }) { timeZone } }';
    await client.graphql(adopt, { timeZone: zone.value }, once);
  } catch {
    // The account is signed in all the same.
  }
}
