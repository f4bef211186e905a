import type { NotificationReason } from '../generated/prisma/enums.ts';
import type { EnumType } from '../platform/fields.ts';
import { events } from './events.ts';

export const notificationReason = {
  name: 'NotificationReason',
  description: 'Why a user is notified. The display order is MENTIONED, ASSIGNED, COMMENTED.',
  values: Object.fromEntries(
    Object.entries(events).map(([reason, { description }]) => [reason, description]),
  ) as Record<NotificationReason, string>,
} satisfies EnumType;
