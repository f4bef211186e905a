import type { NotificationReason } from '../../src/generated/prisma/enums.ts';
import type { Service } from '../kit/service.ts';
import type { User } from '../kit/users.ts';

interface Event {
  reason?: NotificationReason;
  actorId?: string | null;
  commentId?: string | null;
  /** Number of equal events. */
  count?: number;
}

/** Inserts events for a user. @returns the time of the last one */
export async function notify(
  service: Service,
  { id: userId }: Pick<User, 'id'>,
  { id: taskId }: { id: string },
  { reason = 'ASSIGNED', actorId = null, commentId = null, count = 1 }: Event = {},
): Promise<string> {
  const rows = await service.sql<{ at: Date }>(
    `INSERT INTO notification_events (user_id, task_id, reason, actor_id, comment_id)
     SELECT $1, $2, $3, $4, $5 FROM generate_series(1, $6::int) RETURNING created_at AS at`,
    [userId, taskId, reason, actorId, commentId, count],
  );
  return rows.at(-1)?.at.toISOString() ?? '';
}

export interface Entry {
  task: { id: string };
  reasons: NotificationReason[];
  unread: number;
  at: string;
  actor: { id: string; name: string | null } | null;
}

export const entriesOf = async (user: Pick<User, 'data'>, args = ''): Promise<Entry[]> => {
  const query = `{ notifications${args} { nodes { task { id } reasons unread at actor { id name } } } }`;
  return (await user.data<{ notifications: { nodes: Entry[] } }>(query)).notifications.nodes;
};

export const unreadOf = async (user: Pick<User, 'data'>): Promise<number> =>
  (await user.data<{ viewer: { unreadNotifications: number } }>('{ viewer { unreadNotifications } }')).viewer
    .unreadNotifications;
