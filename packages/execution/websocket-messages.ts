import { CloseCode, type SubscribePayload, validateMessage } from 'graphql-ws';
import { checkJson } from '@taskgate/http';
import type { SocketFlow } from './websocket-flow.ts';
import type { OperationNames } from './websocket-names.ts';

const maxIdLength = 255;
/** A longer payload is not echoed, in bytes. */
const maxPongPayload = 1024;

interface Message {
  text: string;
  type?: string;
  /** Not empty. */
  id?: string;
  payload?: unknown;
}

/**
 * Keeps `authorization` as the only connection parameter. Empty if the JSON is invalid or over a limit, which
 * graphql-ws refuses.
 */
export function messageOf(bytes: Buffer): Message {
  let text = '{}';
  try {
    checkJson(bytes);
    text = bytes.toString('utf8');
    const message: { type: string; id?: string; payload?: unknown } = validateMessage(JSON.parse(text));
    const { type, payload } = message;
    if (type !== 'connection_init') return { text, ...message };
    const { authorization } = (payload ?? {}) as { authorization?: unknown };
    return { text: JSON.stringify({ type, ...(typeof authorization === 'string' && { payload: { authorization } }) }) };
  } catch {
    return { text };
  }
}

/**
 * graphql-ws holds the text while the operation runs, so it gets no payload.
 * @returns text for graphql-ws; undefined if the message needs no handling
 */
export function textFor(
  { text, type, id, payload }: Message,
  names: OperationNames,
  { flow, payloads }: { flow: SocketFlow; payloads: Map<string, SubscribePayload> },
): string | undefined {
  if (id === undefined || (type !== 'subscribe' && type !== 'complete')) return text;
  if (id.length > maxIdLength) {
    flow.close(CloseCode.BadRequest, `An id has at most ${maxIdLength} characters`);
    return undefined;
  }
  const name = type === 'subscribe' ? names.give(id) : names.take(id);
  if (name === undefined) {
    if (type === 'subscribe') flow.close(CloseCode.SubscriberAlreadyExists, alreadyExists(id));
    return undefined;
  }
  if (type === 'complete') {
    flow.complete(name);
    return JSON.stringify({ id: name, type });
  }
  payloads.set(name, payload as SubscribePayload);
  return JSON.stringify({ id: name, type, payload: { query: '' } });
}

/** Reasons have at most 123 bytes (RFC 6455, 5.5). */
const alreadyExists = (id: string) =>
  Buffer.byteLength(id) <= 80 ? `Subscriber for ${id} already exists` : 'The subscriber already exists';

export function pongFor(payload: unknown): string {
  const isLong = Buffer.byteLength(JSON.stringify(payload ?? null)) > maxPongPayload;
  return JSON.stringify({ type: 'pong', payload: isLong ? undefined : payload });
}
