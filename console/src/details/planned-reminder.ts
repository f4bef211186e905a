import { useEffect, useState } from 'preact/hooks';
import { dueDay, select, status, type Task, user } from 'taskgate-client';
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
/** Browsers run a longer timer at once. */
const maxTimerMs = 2 ** 31 - 1;

export function usePlannedReminder(task: Task): string {
  const { id, updatedAt, reminder } = task;
  const isDue = dueDay(task) !== null;
  const isLive = useQuery(() => status) === 'live';
  const preferences = useQuery(() => select(user, (me) => JSON.stringify(me?.preferences)));
  const [planned, setPlanned] = useState<{ readonly at: string | undefined }>();
  const isShown = reminder && isLive;
  useEffect(() => {
    if (!isShown || !isDue) return setPlanned(undefined);
    const load = async () => {
      const { task } = await request<Reminders>(query, { id });
      setPlanned({ at: task?.reminders.find((each) => each.status === 'PLANNED')?.at });
    };
    const refresh = () => void load().catch(() => undefined);
    refresh();
    const timer = setTimeout(refresh, planningMs);
    return () => clearTimeout(timer);
  }, [id, updatedAt, preferences, isShown, isDue]);
  const restMs = Date.parse(planned?.at ?? '') - Date.now();
  useEffect(() => {
    if (!(restMs > 0)) return;
    // The text changes when the moment has passed.
    const timer = setTimeout(() => setPlanned(planned && { ...planned }), Math.min(restMs, maxTimerMs));
    return () => clearTimeout(timer);
  }, [planned]);
  if (!isShown) return '';
  if (!isDue) return texts.reminderNeedsDate;
  if (!planned) return '';
  return planned.at !== undefined && restMs > 0 ? texts.plannedAt(formatMoment(planned.at)) : texts.notPlanned;
}
