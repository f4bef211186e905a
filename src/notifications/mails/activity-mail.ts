import { type Block, facts, link, type Mail, mailOf, paragraph, said, subtitle, title } from './layout.ts';
import { inLine, nameByUser, shortened, withoutLinks } from './text.ts';

/** Maximum numbers of tasks, and of comments of a task. The rest are counted. */
export const limits = { tasks: 20, comments: 3 } as const;

/** In UTF-16 code units. */
const maxCommentLength = 500;

interface ActivityComment {
  /** Null for a deleted account. */
  author: string | null;
  text: string;
  /** Names of the members whom it mentions, by id. */
  names: Readonly<Record<string, string>>;
}

export interface ActivityTask {
  title: string;
  projectName: string;
  isAssigned: boolean;
  assignedBy: string | null;
  commentCount: number;
  /** The newest ones, the oldest first. */
  comments: readonly ActivityComment[];
}

interface ActivityContent {
  taskCount: number;
  tasks: readonly [ActivityTask, ...ActivityTask[]];
  appUrl: string;
  unsubscribeUrl: string;
}

export function activityMail({ taskCount, tasks, appUrl, unsubscribeUrl }: ActivityContent): Mail {
  const [first] = tasks;
  const others = taskCount - tasks.length;
  const content =
    taskCount === 1
      ? { subject: first.title, body: [title(first.title), ...blocksOf(first)] }
      : {
          subject: `${taskCount} tasks`,
          body: [
            title(`${taskCount} tasks`),
            ...tasks.flatMap((task) => [subtitle(task.title), ...blocksOf(task)]),
            ...(others > 0 ? [paragraph`and ${String(others)} more ${others === 1 ? 'task' : 'tasks'}`] : []),
          ],
        };
  return mailOf({
    subject: content.subject,
    body: [...content.body, paragraph`${link(appUrl, 'Open Taskgate')}`],
    footer: [
      paragraph`You get this mail because you have not read these notifications. You can mute a task, or get fewer mails by your preferences.`,
      paragraph`${link(unsubscribeUrl, 'Stop mails about tasks')}`,
    ],
  });
}

function blocksOf({ projectName, isAssigned, assignedBy, commentCount, comments }: ActivityTask): Block[] {
  const others = commentCount - comments.length;
  const by = assignedBy === null ? 'Somebody' : nameByUser(assignedBy);
  return [
    facts({ Project: nameByUser(projectName) }),
    ...(isAssigned ? [paragraph`${by} assigned this task to you.`] : []),
    ...comments.map((comment) => said(comment.author ?? 'A former user', shownText(comment))),
    ...(others > 0 ? [paragraph`and ${String(others)} more ${others === 1 ? 'comment' : 'comments'}`] : []),
  ];
}

/** Matches the same ids as `mentionsIn` of comments. Keeps the `@` in the text before. */
const mentioned = /(?<=@)(user_[0-7][0-9a-hjkmnp-tv-z]{25})(?![0-9A-Za-z_])/;

/** Replaces ids of members by their names. */
function shownText({ text, names }: ActivityComment): string {
  const parts = inLine(text)
    .split(mentioned)
    .map((part) => (Object.hasOwn(names, part) ? nameByUser(names[part] ?? '') : withoutLinks(part)));
  return shortened(parts.join(''), maxCommentLength);
}
