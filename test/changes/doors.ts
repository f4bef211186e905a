import type { User } from '../kit/users.ts';
import { EventStream } from './sse.ts';
import { Stream } from './stream.ts';

/** Sends a cursor of task changes through each transport. @returns their error codes, or `none` */
export async function errorCodesOf(service: { url: string }, user: User, after: string): Promise<string[]> {
  const pollResult = await user.graphql('query ($after: String) { changes(after: $after) { cursor } }', { after });
  const restResult = await user.get<{ code?: string }>(`/api/v2/changes?after=${after}`);
  const stream = await Stream.open(service, user, { after });
  const events = await EventStream.open(service, user, '/api/v2/events', { 'Last-Event-ID': after });
  const { code = 'none' } = JSON.parse(await events.body) as { code?: string };
  return [pollResult.errors?.[0]?.extensions.code ?? 'none', restResult.body.code ?? 'none', await stream.ended, code];
}

export const expired = Array<string>(4).fill('CURSOR_EXPIRED');
