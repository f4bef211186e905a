/** The choices of "Repeat". */
export type Preset = 'never' | 'daily' | 'weekdays' | 'weekly' | 'monthly' | 'monthEnd' | 'yearly' | 'custom';

/** The day from which a rule counts. Undefined: the days of the completions. */
type Anchor = string | undefined;

const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
export const mondayToFriday = 'MO,TU,WE,TH,FR';
export const endOfFebruary = ';BYMONTH=2;BYMONTHDAY=-1';

/** A month that is too short has its last day instead. */
export const onDay = (day: number): string =>
  day < 29 ? `;BYMONTHDAY=${day}` : `;BYMONTHDAY=${[28, 29, 30, 31].slice(0, day - 27).join()};BYSETPOS=-1`;

/** The parts of a rule that leaves no month and no year out. */
export function completeParts(frequency: string, anchor: Anchor): string {
  const day = Number(anchor?.slice(8));
  if (frequency === 'MONTHLY' && day > 28) return onDay(day);
  return frequency === 'YEARLY' && anchor?.endsWith('-02-29') ? endOfFebruary : '';
}

/** The spellings of each preset; the first is the console's own. */
function rulesOf(anchor: Anchor): Partial<Record<Preset, readonly string[]>> {
  const [month, day] = [Number(anchor?.slice(5, 7)), Number(anchor?.slice(8))];
  const rules = (frequency: string, ...others: string[]) =>
    [completeParts(frequency, anchor), ...others].map((parts) => `FREQ=${frequency}${parts}`);
  return {
    daily: rules('DAILY'),
    weekdays: [`FREQ=WEEKLY;BYDAY=${mondayToFriday}`, `FREQ=DAILY;BYDAY=${mondayToFriday}`],
    weekly: rules('WEEKLY', `;BYDAY=${weekdays[new Date(anchor ?? 0).getUTCDay()]}`),
    monthly: rules('MONTHLY', ...[day, 29, 30, 31].map(onDay)),
    monthEnd: ['FREQ=MONTHLY;BYMONTHDAY=-1'],
    yearly: rules('YEARLY', endOfFebruary, completeParts('YEARLY', anchor) || `;BYMONTH=${month};BYMONTHDAY=${day}`),
  };
}

export const endOf = (rule: string): string => /;(COUNT|UNTIL)=.*/.exec(rule)?.[0] ?? '';
export const withEnd = (rule: string, end: string): string => rule.replace(endOf(rule), '') + end;

/** @param rule in its canonical form */
export function presetOf(rule: string, anchor: Anchor): Preset {
  const own = withEnd(rule, '');
  const [found] = Object.entries(rulesOf(anchor)).find(([, rules]) => rules.includes(own)) ?? ['custom'];
  return found as Preset;
}

/** @returns undefined for "Never" and "Custom" */
export const ruleOf = (preset: Preset, anchor: Anchor): string | undefined => rulesOf(anchor)[preset]?.[0];

/** A preset moves along. Other rules stay. */
export const movedRule = (rule: string, from: Anchor, to: Anchor): string =>
  withEnd(ruleOf(presetOf(rule, from), to) ?? rule, endOf(rule));
