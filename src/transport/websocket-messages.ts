import { checkJson } from './json-limits.ts';

/** Bytes of a ping's payload at the most that are sent back; a longer one is answered without. */
const maxPongPayload = 1024;

/** What a message says of itself before graphql-ws has parsed it. */
export interface Message {
  type?: unknown;
  id?: unknown;
  payload?: unknown;
}

/**
 * The message as an object, which graphql-ws takes as well as its text and can be freed of what it brought, and without
 * parameters of the connection, which nothing reads; one that graphql-ws refuses where it is no JSON within the limits.
 */
export function messageOf(bytes: Buffer): Message {
  try {
    checkJson(bytes);
    const message = JSON.parse(bytes.toString('utf8')) as Message | null;
    if (message?.type === 'connection_init') delete message.payload;
    return message ?? {};
  } catch {
    return {};
  }
}

/** Frees what a message brought once it has been checked: graphql-ws holds it for as long as the operation goes on. */
export function free(payload: object): void {
  for (const name of Object.keys(payload)) Reflect.deleteProperty(payload, name);
}

/** The answer to a ping of graphql-transport-ws. */
export function pongFor(payload: unknown): string {
  const text = payload === undefined ? undefined : JSON.stringify(payload);
  return text === undefined || Buffer.byteLength(text) > maxPongPayload
    ? '{"type":"pong"}'
    : `{"type":"pong","payload":${text}}`;
}
