import type { Client } from '../kit/client.ts';

export interface ShownSession {
  id: string;
  device: string;
  createdAt: string;
  lastUsedAt: string;
  current: boolean;
}

export async function sessionsOf(user: Client): Promise<ShownSession[]> {
  const query = '{ viewer { sessions { id device createdAt lastUsedAt current } } }';
  return (await user.data<{ viewer: { sessions: ShownSession[] } }>(query)).viewer.sessions;
}

export async function currentOf(user: Client): Promise<string> {
  const [session] = await sessionsOf(user);
  if (!session?.current) throw new Error('the first session is not the current one');
  return session.id;
}

export const endSession = (user: Client, id: string) =>
  user.graphql<{ endSession: string }>('mutation ($id: ID!) { endSession(id: $id) }', { id });
