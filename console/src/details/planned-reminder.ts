import { useEffect, useState } from 'preact/hooks';
import { dueDay, status, type Task } from 'taskgate-client';
import { formatMoment } from '../app/days.ts';
import { useQuery } from '../app/replica.ts';
import { request } from '../app/session.ts';
import { texts } from '../texts.ts';

const query = 'query ($id: ID!) { task(id: $id) { reminders { at status reason } } }';

interface Reminders {
  readonly task: { readonly reminders: readonly { at: string; status: string; reason: string | null }[] } | null;
}

/** The service plans reminders shortly after a change. */
const planningMs = 1500;

export function usePlannedReminder(task: Task): string {
  const { id, updatedAt, reminder } = task;
  const isDue = dueDay(task) !== null;
  const isLive = useQuery(() => status) === 'live';
  const [text, setText] = useState('');
  useEffect(() => {
    if (!reminder || !isLive) return setText('');
    if (!isDue) return setText(texts.reminderNeedsDate);
    const load = async () => {
      const { task } = await request<Reminders>(query, { id });
      const planned = task?.reminders.find((each) => each.status === 'PLANNED');
      setText(planned ? texts.plannedAt(formatMoment(planned.at)) : texts.notPlanned);
    };
    const refresh = () => void load().catch(() => undefined);
    refresh();
    const timer = setTimeout(refresh, planningMs);
    return () => clearTimeout(timer);
  }, [id, updatedAt, reminder, isDue, isLive]);
  return text;
}
