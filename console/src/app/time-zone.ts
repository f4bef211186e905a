import { createClient } from 'taskgate-client';
import { zone } from './days.ts';

/** The zone of an account that has never chosen one. */
export const defaultZone = 'UTC';
/** The zone of an account that has chosen UTC. */
export const explicitUtc = 'Etc/UTC';

const canonicalName = (timeZone: string) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return timeZone;
  }
};

/** A zone may have several names. */
export const isBrowserZone = (timeZone: string): boolean => canonicalName(timeZone) === canonicalName(zone.value);

/** A session that begins later is not part of the sign-up. */
const signUpMs = 60_000;

interface NewAccount {
  readonly viewer: {
    readonly createdAt: string;
    readonly sessions: readonly { createdAt: string; current: boolean }[];
  };
}

/** If this fails, the console offers the zone later. */
export async function adoptZone({ id }: { readonly id: string }): Promise<void> {
  const client = createClient({ url: location.origin, account: id });
  const options = { maxAttempts: 1 };
  try {
    const { viewer } = await client.graphql<NewAccount>(
      '{ viewer { createdAt sessions { createdAt current } } }',
      {},
      options,
    );
    const session = viewer.sessions.find(({ current }) => current);
    if (!session || Date.parse(session.createdAt) - Date.parse(viewer.createdAt) > signUpMs) return;
    const mutation = 'mutation ($timeZone: String) { updatePreferences(input: { timeZone: $timeZone }) { timeZone } }';
    await client.graphql(mutation, { timeZone: zone.value }, options);
  } catch {
    // The sign-in succeeds anyway.
  }
}
