import { digestMail, type DigestPart, digestParts, type DigestTask, type DigestTasks } from './mails/digest-mail.ts';
import type { Mail } from './mails/layout.ts';
import { addDays, digestAfter, endOfLocalDay, localDate, nextDigest, type PlannedDigest } from './times.ts';

export interface DigestFacts {
  now: Date;
  emailEnabled: boolean;
  dailyDigest: boolean;
  /** HH:MM; null for the default. */
  digestTime: string | null;
  timeZone: string;
  /** Newest local day with an ended digest, YYYY-MM-DD. */
  lastDate: string | null;
  planned: { id: string; date: string; at: Date } | null;
}

/** Reasons for SKIPPED, as users see them. */
export const skippedDigests = {
  empty: 'No task was overdue, or due on the day or in the seven days after it.',
  noMails: 'Your e-mails were turned off.',
  off: 'Your daily digest was turned off.',
  late: 'The service could not send it before the day was over.',
} as const;

/** Undefined if the user gets digests. */
export function digestRefusal({ emailEnabled, dailyDigest }: DigestFacts): string | undefined {
  if (!emailEnabled) return skippedDigests.noMails;
  return dailyDigest ? undefined : skippedDigests.off;
}

export function planDigest(facts: DigestFacts): PlannedDigest | undefined {
  if (digestRefusal(facts) !== undefined) return undefined;
  const { now, digestTime: time, timeZone, lastDate } = facts;
  return nextDigest({ now, time, timeZone, lastDate });
}

export function planDigestAfter(facts: DigestFacts, servedDate: string): PlannedDigest | undefined {
  if (digestRefusal(facts) !== undefined) return undefined;
  const { now, digestTime: time, timeZone } = facts;
  return digestAfter({ now, time, timeZone, servedDate });
}

/** Days that a digest covers: dates for tasks without a time, moments for other tasks. */
export interface DigestDays {
  now: Date;
  timeZone: string;
  /** YYYY-MM-DD. */
  today: string;
  endOfToday: Date;
  /** The last day of `upcoming`, YYYY-MM-DD. */
  lastDate: string;
  endOfLastDate: Date;
}

export function digestDays({ now, timeZone }: Pick<DigestFacts, 'now' | 'timeZone'>): DigestDays {
  const today = localDate(now, timeZone);
  const lastDate = addDays(today, 7);
  const [endOfToday, endOfLastDate] = [endOfLocalDay(today, timeZone), endOfLocalDay(lastDate, timeZone)];
  return { now, timeZone, today, endOfToday, lastDate, endOfLastDate };
}

export interface DigestRow extends DigestTask {
  id: string;
  part: DigestPart;
  count: number;
}

/** @param rows at least the tasks that the mail names */
export function mailOfDigest(days: DigestDays, rows: readonly DigestRow[], unsubscribeUrl?: string): Mail {
  const partOf = (part: DigestPart): DigestTasks => {
    const tasks = rows.filter((row) => row.part === part);
    return { count: tasks[0]?.count ?? 0, tasks };
  };
  const parts = Object.fromEntries(digestParts.map((part) => [part, partOf(part)])) as Record<DigestPart, DigestTasks>;
  return digestMail({ ...parts, date: days.today, timeZone: days.timeZone, unsubscribeUrl });
}
