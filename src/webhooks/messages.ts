import { randomBytes } from 'node:crypto';
import type { CompiledSelection } from '@taskgate/nested-read';
import { type PolledChange, pollChanges } from '../changes/rules.ts';
import type { Viewer } from '../platform/context.ts';
import { findActs } from '../platform/visible-entities.ts';
import { findTasksByIds } from '../tasks/rules.ts';
import type { FixedChange, FixedMessage, HeldWebhook } from './delivery-data.ts';
import type { OutgoingMessage } from './request.ts';

/** How a message shows a change: as the change log of REST. */
export interface ChangeShape<Task = unknown> {
  task: CompiledSelection<Task>;
  show(change: Omit<FixedChange, 'spaceId'>, task: Task | null, caller: { id: string; inboxId: string }): object;
}

/** Bytes of a message, without room for its frame. */
const maxBytes = 255 * 1024;

/** Tasks that are loaded at once: a description has up to 64 KiB. */
const tasksAtOnce = 50;

/** Changes that a filter examines at once. */
const examinedAtOnce = 500;

export const newMessageId = (): string => `msg_${randomBytes(18).toString('base64url')}`;

const passes = ({ kinds, fields }: HeldWebhook, change: PolledChange): boolean =>
  kinds.includes(change.kind) &&
  (change.kind !== 'UPDATED' || fields.length === 0 || fields.some((name) => change.fields.includes(name)));

/** A message as it is now, without changes that the viewer may not see any more. */
export interface ShownMessage extends FixedMessage {
  /** The changes as JSON. */
  texts: string[];
  /** Whether changes after it may be available. */
  hasMore: boolean;
}

export const nothingAt = (cursor: string): ShownMessage => ({ changes: [], texts: [], cursor, hasMore: false });

/** Shows changes up to the first one that does not fit. One always fits. */
async function show(
  viewer: Viewer,
  { changes, cursor }: FixedMessage,
  shape: ChangeShape,
  bytes = Infinity,
): Promise<ShownMessage> {
  const shown = nothingAt(cursor);
  const caller = { id: viewer.id, inboxId: viewer.inboxId ?? '' };
  let size = cursor.length;
  let tasks = new Map<string, unknown>();
  let last = cursor;
  for (const [index, change] of changes.entries()) {
    if (index % tasksAtOnce === 0) tasks = await loadTasks(viewer, changes.slice(index, index + tasksAtOnce), shape);
    const { spaceId, ...own } = change;
    const isSeen = change.kind === 'DELETED' ? viewer.spaceIds.includes(spaceId) : tasks.has(change.taskId);
    const text = isSeen ? JSON.stringify(shape.show(own, tasks.get(change.taskId) ?? null, caller)) : '';
    size += Buffer.byteLength(text) + 1;
    if (size > bytes && shown.texts.length > 0) return { ...shown, cursor: last, hasMore: true };
    last = change.cursor;
    if (!isSeen) continue;
    shown.changes.push(change);
    shown.texts.push(text);
  }
  return shown;
}

async function loadTasks(viewer: Viewer, changes: readonly FixedChange[], shape: ChangeShape) {
  const ids = new Set(changes.flatMap(({ kind, taskId }) => (kind === 'DELETED' ? [] : [taskId])));
  const rows = await findTasksByIds(viewer, [...ids], { select: shape.task.select({ viewer }) });
  return new Map(rows.map((row) => [row.id, shape.task.serialize(row)]));
}

/** Reads the next message after the position. It may have no changes. @throws CURSOR_EXPIRED */
async function readNext(viewer: Viewer, hook: HeldWebhook, shape: ChangeShape, retentionDays: number) {
  const { kinds, fields, maxChanges, position } = hook;
  const first = fields.length > 0 || kinds.length < 3 ? examinedAtOnce : maxChanges;
  const page = await pollChanges(viewer, { after: position, first, retentionDays });
  const passed = page.nodes.filter((node) => passes(hook, node));
  const found = passed.slice(0, maxChanges);
  const acts = await findActs(
    viewer,
    found.map(({ operationId }) => operationId),
  );
  const changes = found.map(({ cursor, kind, taskId, fields, operationId, at, row }, index): FixedChange => {
    const { actorId = null, client = null } = acts[index] ?? {};
    const change = { cursor, kind, taskId, changedFields: fields, operationId, at: at.toISOString() };
    return { ...change, actorId, client, spaceId: row.space };
  });
  const isCut = found.length < passed.length;
  const cursor = (isCut ? changes.at(-1)?.cursor : undefined) ?? page.cursor;
  const shown = await show(viewer, { changes, cursor }, shape, maxBytes);
  return { ...shown, hasMore: shown.hasMore || isCut || page.hasNextPage };
}

/** Reads a fixed message again, or the next one. @throws CURSOR_EXPIRED */
export const readMessage = async (viewer: Viewer, hook: HeldWebhook, shape: ChangeShape, retentionDays: number) =>
  hook.message
    ? { ...(await show(viewer, hook.message, shape)), hasMore: true }
    : readNext(viewer, hook, shape, retentionDays);

export function toMessage({ id, messageId }: HeldWebhook, { changes, texts, cursor }: ShownMessage): OutgoingMessage {
  const frame = { type: 'tasks.changed', timestamp: changes.at(-1)?.at, data: { webhookId: id, changes: [], cursor } };
  const body = JSON.stringify(frame).replace('"changes":[]', () => `"changes":[${texts.join()}]`);
  return { id: messageId ?? '', type: frame.type, body, changes: changes.length };
}
