import { z } from 'zod';
import type { Viewer } from '../platform/context.ts';
import { type Context, signedIn } from '../platform/context.ts';
import { parseDateTime } from '../platform/dates.ts';
import { notFound } from '../platform/errors.ts';
import { isId, onlyIds } from '../platform/ids.ts';
import { bulkIds, parse } from '../platform/input.ts';
import { type Page, type PageArguments, pageOf, parsePage } from '../platform/pages.ts';
import * as data from './data.ts';

export { notifyAssigned } from './data.ts';
export type Entry = data.Entry;

const moment = z
  .unknown()
  .transform((at) => parseDateTime(at)?.toISOString())
  .pipe(z.string());

/** Position of a page: time and id of the newest event of an entry. */
const position = z.tuple([moment, z.string().regex(/^\d{1,18}$/)]);

/** Lists the tasks with events, newest first. @throws as {@link parsePage} */
export async function notifications(
  context: Context,
  { unread, ...args }: PageArguments & { unread: boolean },
): Promise<Page<Entry>> {
  const viewer = signedIn(context);
  const { size, position: after } = parsePage(args, position);
  const entries = await data.findEntries(viewer, { unread, limit: size + 1, after });
  return pageOf(entries, size, ({ at, eventId }) => [at.toISOString(), eventId], args.after);
}

/** Counts the tasks with unread events. A sign-in has no viewer yet. */
export function unreadNotifications(context: Context, userId: string): Promise<number> {
  const { viewer, services } = context;
  return data.countUnread(viewer ?? services, userId, viewer?.credential.spaceIds ?? null);
}

/**
 * Marks events as read: of all tasks, or of some, up to and including a moment.
 * @returns the number of tasks with such events
 * @throws VALIDATION_FAILED for more than 10,000 ids
 */
export async function readNotifications(
  viewer: Viewer,
  taskIds: readonly string[] | null | undefined,
  until: Date | null | undefined,
): Promise<number> {
  const ids = taskIds == null ? undefined : onlyIds('Task', parse(bulkIds, taskIds, 'taskIds'));
  const count = await data.readEvents(viewer, ids, until ?? null);
  // The other sessions of the user.
  if (count > 0) viewer.written?.add(viewer.id);
  return count;
}

/** Changes whether the viewer gets COMMENTED for the task. It is no change of the task. @throws NOT_FOUND */
export async function muteTask(viewer: Viewer, id: string, muted: boolean): Promise<string> {
  if (!isId('Task', id) || !(await data.setMuted(viewer, id, muted))) throw notFound('Task');
  viewer.written?.add(viewer.id);
  return id;
}

/** Whether the viewer muted the task. */
export const mutesOf = (context: Context) => ({
  mutes: { where: { userId: signedIn(context).id }, select: { userId: true } },
});
