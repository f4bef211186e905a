import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { CompiledSelection } from '@taskgate/nested-read';
import { type PolledChange, pollChanges } from '../changes/rules.ts';
import type { Viewer } from '../platform/context.ts';
import { findOperationsByIds } from '../platform/visible-entities.ts';
import { findTasksByIds } from '../tasks/rules.ts';
import type { FixedChange, FixedMessage, MessageSource } from './delivery-data.ts';
import { changeKinds } from './input.ts';

/** Shows changes like the change log of REST. */
export interface ChangeShape<Task = unknown> {
  task: CompiledSelection<Task>;
  show(change: Omit<FixedChange, 'spaceId'>, task: Task | null, caller: { id: string; inboxId: string }): object;
}

/** Bytes of a message, without room for its frame. */
const maxBytes = 255 * 1024;

/** Of a repetition, whose tasks may have grown since. Many large ones would fill the memory. */
const maxRepeatedBytes = 1024 * 1024;

/** Limit of tasks in memory: a description has up to 64 KiB. */
const tasksAtOnce = 50;

/** Changes in one read for a filter, and reads without a result before other webhooks have a turn. */
const [examinedAtOnce, readsAtOnce] = [500, 20];

export const newMessageId = (): string => `msg_${randomBytes(18).toString('base64url')}`;

const passes = ({ kinds, fields }: MessageSource, change: PolledChange): boolean =>
  kinds.includes(change.kind) &&
  (change.kind !== 'UPDATED' || fields === null || fields.some((name) => change.fields.includes(name)));

/** Shows changes up to the first one that does not fit. Tasks are as they are now; changes that the viewer no longer sees are left out. @returns also how many remain */
async function show(viewer: Viewer, changes: readonly FixedChange[], shape: ChangeShape, bytes: number) {
  const shown: { changes: FixedChange[]; texts: string[] } = { changes: [], texts: [] };
  const caller = { id: viewer.id, inboxId: viewer.inboxId ?? '' };
  let size = 0;
  for (let start = 0; start < changes.length; start += tasksAtOnce) {
    const page = changes.slice(start, start + tasksAtOnce);
    const ids = [...new Set(page.flatMap(({ kind, taskId }) => (kind === 'DELETED' ? [] : [taskId])))];
    const rows = await findTasksByIds(viewer, ids, { select: shape.task.select({ viewer }) });
    const tasks = new Map(rows.map((row) => [row.id, shape.task.serialize(row)]));
    for (const [index, change] of page.entries()) {
      const { spaceId, ...own } = change;
      const isSeen = change.kind === 'DELETED' ? viewer.spaceIds.includes(spaceId) : tasks.has(change.taskId);
      if (!isSeen) continue;
      const text = JSON.stringify(shape.show(own, tasks.get(change.taskId) ?? null, caller));
      size += Buffer.byteLength(text) + 1;
      if (size > bytes && shown.texts.length > 0) return { ...shown, remaining: changes.length - start - index };
      shown.changes.push(change);
      shown.texts.push(text);
    }
  }
  return { ...shown, remaining: 0 };
}

/** Its texts are made once for all webhooks that share it: they may have 255 KiB. */
export interface NextMessage {
  message: FixedMessage;
  /** The message as JSON. */
  stored: string;
  /** JSON of the changes with their tasks, without the brackets of the list. */
  shown: string;
  /** Whether changes after it may be available. */
  hasMore: boolean;
  /** Whether a space has changed since it was read for another webhook. */
  isBehind: boolean;
}

const textsOf = (message: FixedMessage, texts: readonly string[]) => ({
  message,
  stored: JSON.stringify(message),
  shown: texts.join(','),
});

/** Shows a fixed message again. Undefined if it has grown too large: then another message replaces it. */
export async function showAgain(
  viewer: Viewer,
  message: FixedMessage,
  shape: ChangeShape,
): Promise<NextMessage | undefined> {
  const { changes, texts, remaining } = await show(viewer, message.changes, shape, maxRepeatedBytes);
  if (remaining > 0) return undefined;
  return { ...textsOf({ ...message, changes }, texts), hasMore: true, isBehind: false };
}

/** Reads the next message after the position. It may have no changes. @throws CURSOR_EXPIRED */
async function readNext(
  viewer: Viewer,
  hook: MessageSource,
  shape: ChangeShape,
  retentionDays: number,
): Promise<NextMessage> {
  const { maxChanges } = hook;
  const isFiltered = hook.fields !== null || hook.kinds.length < changeKinds.length;
  const found: PolledChange[] = [];
  let [cursor, hasMore] = [hook.position, true];
  for (let reads = 0; hasMore && reads < readsAtOnce && found.length < maxChanges; reads += 1) {
    const first = isFiltered ? examinedAtOnce : maxChanges;
    const page = await pollChanges(viewer, { after: cursor, first, retentionDays });
    const room = maxChanges - found.length;
    const passed = page.nodes.filter((node) => passes(hook, node));
    found.push(...passed.slice(0, room));
    const isCut = passed.length > room;
    cursor = isCut ? (found.at(-1)?.cursor ?? cursor) : page.cursor;
    hasMore = isCut || page.hasNextPage;
  }
  const operations = await findOperationsByIds(viewer, [...new Set(found.map(({ operationId }) => operationId))]);
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const changes = found.map(({ cursor, kind, taskId, fields, operationId, at, point }): FixedChange => ({
    ...{ cursor, kind, taskId, changedFields: fields, operationId, at: at.toISOString() },
    actorId: byId.get(operationId)?.actorId ?? null,
    client: byId.get(operationId)?.client ?? null,
    spaceId: point.space,
  }));
  const { remaining, ...shown } = await show(viewer, changes, shape, maxBytes - cursor.length);
  if (remaining > 0) cursor = changes.at(-remaining - 1)?.cursor ?? cursor;
  return {
    ...textsOf({ changes: shown.changes, cursor }, shown.texts),
    hasMore: hasMore || remaining > 0,
    isBehind: false,
  };
}

/** Lifetime and number of shared reads. */
const [sharedMs, maxShared] = [250, 32];

/**
 * Reads next messages. A change wakes all webhooks of an account. Webhooks with the same filters and position share a read,
 * if their viewers reach the same spaces.
 */
export class MessageReads {
  readonly #recent = new LRUCache<string, { points: string; read: Promise<NextMessage> }>({
    max: maxShared,
    ttl: sharedMs,
    ttlAutopurge: true,
  });

  /** @throws CURSOR_EXPIRED */
  async next(viewer: Viewer, hook: MessageSource, shape: ChangeShape, retentionDays: number): Promise<NextMessage> {
    const { position, kinds, fields, maxChanges } = hook;
    const key = JSON.stringify([viewer.id, viewer.spaceIds, position, kinds, fields, maxChanges]);
    const points = JSON.stringify([...viewer.points]);
    const recent = this.#recent.get(key);
    if (recent) return { ...(await recent.read), isBehind: points !== recent.points };
    const read = readNext(viewer, hook, shape, retentionDays);
    this.#recent.set(key, { points, read });
    return read;
  }
}

export function bodyOf(webhookId: string, { message: { changes, cursor }, shown }: NextMessage): string {
  const frame = { type: 'tasks.changed', timestamp: changes.at(-1)?.at, data: { webhookId, changes: [], cursor } };
  return JSON.stringify(frame).replace('"changes":[]', () => `"changes":[${shown}]`);
}

/** Signs as Standard Webhooks 1.0 demands. @param secrets the first one signs first */
export const signatureOf = (secrets: readonly Uint8Array[], id: string, timestamp: number, body: string): string =>
  secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64')}`)
    .join(' ');
