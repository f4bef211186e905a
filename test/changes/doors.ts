import type { User } from '../kit/users.ts';
import { EventStream } from './sse.ts';
import { Stream } from './stream.ts';

/** How each door takes a cursor of task changes. @returns codes of errors, `none` where it is taken */
export async function answersTo(service: { url: string }, user: User, after: string): Promise<string[]> {
  const polled = await user.graphql('query ($after: String) { changes(after: $after) { cursor } }', { after });
  const byRest = await user.get<{ code?: string }>(`/api/v2/changes?after=${after}`);
  const stream = await Stream.open(service, user, { after });
  const events = await EventStream.open(service, user, '/api/v2/events', { 'Last-Event-ID': after });
  const { code = 'none' } = JSON.parse(await events.body) as { code?: string };
  return [polled.errors?.[0]?.extensions.code ?? 'none', byRest.body.code ?? 'none', await stream.ended, code];
}

/** Its answers to one that has expired. */
export const expired = Array<string>(4).fill('CURSOR_EXPIRED');
