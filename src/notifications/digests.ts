import { digestMail, type DigestPart, digestParts, type DigestTask, type DigestTasks } from './mails/digest-mail.ts';
import type { Mail } from './mails/layout.ts';
import { addDays, digestAfter, endOfLocalDay, localDate, nextDigest, type PlannedDigest } from './times.ts';

/** What decides when a user's next digest goes out: as the database has it now. */
export interface DigestFacts {
  /** By the clock of plans. */
  now: Date;
  emailEnabled: boolean;
  dailyDigest: boolean;
  /** HH:MM; null: by default. */
  digestTime: string | null;
  timeZone: string;
  /** The newest local day whose digest has ended, in whatever way, YYYY-MM-DD; null before the first. */
  lastDate: string | null;
  planned: { id: string; date: string; at: Date } | null;
}

/** Why a digest is SKIPPED. */
export const skippedDigests = {
  empty: 'Nothing was overdue, and nothing was due on the day or in the seven days after it.',
  noMails: 'Your e-mails were turned off.',
  off: 'Your daily digest was turned off.',
  late: 'The service could not send it before the day was over.',
} as const;

/** Whether a user has digests; else why not, as a sentence. */
export function digestRefusal({ emailEnabled, dailyDigest }: DigestFacts): string | undefined {
  if (!emailEnabled) return skippedDigests.noMails;
  return dailyDigest ? undefined : skippedDigests.off;
}

/** The digest that a user has next; undefined where they have none. */
export function planDigest(facts: DigestFacts): PlannedDigest | undefined {
  if (digestRefusal(facts) !== undefined) return undefined;
  const { now, digestTime: time, timeZone, lastDate } = facts;
  return nextDigest({ now, time, timeZone, lastDate });
}

/** The digest that follows one that has ended; undefined where the user has none any more. @param servedDate of that one */
export function planDigestAfter(facts: DigestFacts, servedDate: string): PlannedDigest | undefined {
  if (digestRefusal(facts) !== undefined) return undefined;
  const { now, digestTime: time, timeZone } = facts;
  return digestAfter({ now, time, timeZone, servedDate });
}

/** The days that a digest covers: as dates, for tasks that have a date alone, and as moments. */
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

/** The days of a digest that is sent now. */
export function digestDays({ now, timeZone }: Pick<DigestFacts, 'now' | 'timeZone'>): DigestDays {
  const today = localDate(now, timeZone);
  const lastDate = addDays(today, 7);
  const [endOfToday, endOfLastDate] = [endOfLocalDay(today, timeZone), endOfLocalDay(lastDate, timeZone)];
  return { now, timeZone, today, endOfToday, lastDate, endOfLastDate };
}

export interface DigestRow extends DigestTask {
  id: string;
  part: DigestPart;
  /** How many tasks the part has. */
  count: number;
}

/** The mail of a digest. @param rows the first ones of each part: those that the mail names, or more */
export function mailOfDigest(days: DigestDays, rows: readonly DigestRow[], unsubscribeUrl?: string): Mail {
  const partOf = (part: DigestPart): DigestTasks => {
    const tasks = rows.filter((row) => row.part === part);
    return { count: tasks[0]?.count ?? 0, tasks };
  };
  const parts = Object.fromEntries(digestParts.map((part) => [part, partOf(part)])) as Record<DigestPart, DigestTasks>;
  return digestMail({ ...parts, date: days.today, timeZone: days.timeZone, unsubscribeUrl });
}
