import type { ActivityMails, NotificationReason } from '../generated/prisma/enums.ts';

interface EventDescription {
  /** Text for `docs/together.md`. */
  when: string;
  notifies: string;
  /** Description of the reason in the schema. */
  description: string;
  /** Whether users who muted the task are notified, too. */
  passesMute: boolean;
  /** With these settings, mails report the event. `is_mailed` of the database repeats them. */
  mails: readonly ActivityMails[];
}

/** Which event notifies whom. In display order, the stronger first: a comment has one event for a user. */
export const events = {
  MENTIONED: {
    when: 'a comment is created or edited',
    notifies: 'members whom it mentions, and did not mention before',
    description: 'A comment mentions the user.',
    passesMute: true,
    mails: ['ALL', 'DIRECT'],
  },
  ASSIGNED: {
    when: 'a task is created or changed, alone or with others',
    notifies: 'members whom this assigns to it',
    description: 'The user was assigned to the task.',
    passesMute: true,
    mails: ['ALL', 'DIRECT'],
  },
  COMMENTED: {
    when: 'a comment is created',
    notifies: 'the assignees of its task, its creator, and everybody with a comment on it, except users who muted it',
    description: 'The task has a new comment.',
    passesMute: false,
    mails: ['ALL'],
  },
} as const satisfies Record<NotificationReason, EventDescription>;
