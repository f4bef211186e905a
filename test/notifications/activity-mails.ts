import { activityMail } from '../../src/notifications/mails/activity-mail.ts';
import type { Mail } from '../../src/notifications/mails/layout.ts';

const publicUrl = 'https://tasks.example.com';

/** A mail about tasks whose texts are all the same. */
const activityOf = (text: string, count: number): Mail =>
  activityMail({
    taskCount: count,
    tasks: Array(Math.min(count, 20)).fill({
      title: text,
      projectName: text,
      isAssigned: true,
      assignedBy: text,
      commentCount: 40,
      comments: [
        {
          author: text,
          text: `@user_01kax2w3zsfq1bq9rm3p2y6x4d ${text}`,
          names: { user_01kax2w3zsfq1bq9rm3p2y6x4d: text },
        },
        { author: null, text: text.repeat(50), names: {} },
      ],
    }) as never,
    appUrl: publicUrl,
    unsubscribeUrl: `${publicUrl}/unsubscribe/token`,
  });

export const activityMails = (text: string): Record<string, Mail> => ({
  'activity of a task': activityOf(text, 1),
  'activity of tasks': activityOf(text, 30),
});
