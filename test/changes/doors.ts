import type { User } from '../kit/users.ts';
import { EventStream } from './sse.ts';
import { Stream } from './stream.ts';

/** Sends a cursor of task changes through each transport. @returns their error codes, or `none` */
export async function answersTo(service: { url: string }, user: User, after: string): Promise<string[]> {
  const polled = await user.graphql('query ($after: String) { changes(after: $after) { cursor } }', { after });
  const byRest = await user.get<{ code?: string }>(`/api/v2/changes?after=${after}`);
  const stream = await Stream.open(service, user, { after });
  const events = await EventStream.open(service, user, '/api/v2/events', { 'Last-Event-ID': after });
  const { code = 'none' } = JSON.parse(await events.body) as { code?: string };
  return [polled.errors?.[0]?.extensions.code ?? 'none', byRest.body.code ?? 'none', await stream.ended, code];
}

export const expired = Array<string>(4).fill('CURSOR_EXPIRED');
