import { datesIn, dayInUtc } from './dates.ts';
import { type Block, heading, link, lists, type Mail, mailOf, paragraph, title } from './layout.ts';

export interface DigestTask {
  title: string;
  projectName: string;
  /** YYYY-MM-DD; shown if there is no time. */
  dueDate: string | null;
  dueTime: Date | null;
  priority: 'HIGH' | 'MEDIUM' | 'LOW' | null;
}

export const digestParts = ['overdue', 'today', 'upcoming'] as const;
export type DigestPart = (typeof digestParts)[number];

/** Tasks of a part of the digest: their number, and at least the first {@link maxTasks}. */
export interface DigestTasks {
  count: number;
  tasks: readonly DigestTask[];
}

/** `upcoming` covers the seven days after the date. */
interface DigestContent extends Record<DigestPart, DigestTasks> {
  /** YYYY-MM-DD. */
  date: string;
  timeZone: string;
  /** Undefined if the reader may not turn digests off. */
  unsubscribeUrl: string | undefined;
}

interface Section {
  name: string;
  /** Text after the count in the subject. */
  counted: string;
  part: DigestTasks;
  /** Returns when a task is due, without the part that the section implies. */
  whenOf: (task: DigestTask) => string;
}

/** Maximum number of tasks that a section names. The rest are counted. */
export const maxTasks = 50;

export function digestMail(digest: DigestContent): Mail {
  const sections = sectionsOf(digest).filter(({ part }) => part.count > 0);
  const counts = sections.map(({ part, counted }) => `${part.count} ${counted}`);
  return mailOf({
    subject: `Your day: ${counts.join(', ') || 'nothing is due'}`,
    body: [
      title(datesIn('UTC').day(dayInUtc(digest.date))),
      ...(sections.length > 0
        ? sections.flatMap(blocksOf)
        : [paragraph`Nothing is overdue, and nothing is due today or in the next seven days.`]),
    ],
    footer: [
      paragraph`You get this mail because your daily digest is on.`,
      ...(digest.unsubscribeUrl === undefined
        ? []
        : [paragraph`${link(digest.unsubscribeUrl, 'Stop the daily digest')}`]),
    ],
  });
}

function sectionsOf({ timeZone, overdue, today, upcoming }: DigestContent): Section[] {
  const [own, utc] = [datesIn(timeZone), datesIn('UTC')];
  const timeOf = ({ dueTime }: DigestTask) => (dueTime ? own.time(dueTime) : '');
  const dayOf = ({ dueTime, dueDate }: DigestTask, form: 'shortDay' | 'weekday') => {
    if (dueTime) return own[form](dueTime);
    return dueDate === null ? '' : utc[form](dayInUtc(dueDate));
  };
  return [
    {
      name: 'Overdue',
      counted: 'overdue',
      part: overdue,
      whenOf: (task) => joined([dayOf(task, 'shortDay'), timeOf(task)], ', '),
    },
    { name: 'Today', counted: 'today', part: today, whenOf: timeOf },
    {
      name: 'Next seven days',
      counted: 'in the next seven days',
      part: upcoming,
      whenOf: (task) => joined([dayOf(task, 'weekday'), timeOf(task)], ', '),
    },
  ];
}

function blocksOf({ name, part, whenOf }: Section): Block[] {
  const items = part.tasks.slice(0, maxTasks).map((task) => {
    const note = joined([whenOf(task), priorityOf(task)], ' · ');
    return { under: task.projectName, name: task.title, note };
  });
  const others = part.count - maxTasks;
  return [heading(name), ...lists(items), ...(others > 0 ? [paragraph`and ${String(others)} more`] : [])];
}

const priorityOf = ({ priority }: DigestTask) => (priority === null ? '' : `${priority.toLowerCase()} priority`);

const joined = (parts: string[], by: string) => parts.filter((part) => part !== '').join(by);
