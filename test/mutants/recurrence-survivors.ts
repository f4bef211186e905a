import type { Explanation } from './survivors.ts';

const savesTime = 'The bound saves time: the check beside it decides the same.';
const countsAlone = 'The years are then counted day by day, which takes longer.';

export const recurrence: Readonly<Record<string, readonly Explanation[]>> = {
  'packages/recurrence/rule.ts': [
    {
      was: "const [name = '', value = ''] = /^[A-Z-]+=[!-<>-~]+$/i.test(part) ? part.toUpperCase().split('=') : [];",
      is: [
        "const [name = '', value = \"Stryker was here!\"] = /^[A-Z-]+=[!-<>-~]+$/i.test(part) ? part.toUpperCase().split('=') : [];",
      ],
      why: 'Without a value, there is no name either, which is refused.',
    },
    {
      was: 'let set: Fitting[] = [];',
      is: ['let set: Fitting[] = ["Stryker was here"];'],
      why: 'A day that is no number is in no period.',
    },
    {
      was: 'if (period < from) continue;',
      is: ['if (false) continue;'],
      why: 'The caller leaves out the days up to its own, too. The check saves time.',
    },
    {
      was: 'if (year > firstYear + 1) {',
      is: ['if (false) {', 'if (year > firstYear + 1) {}', 'if (year >= firstYear + 1) {'],
      why: 'Both give the same days. The choice saves time.',
    },
    {
      was: 'const last = first + (counted.at(-1)?.[0] ?? NaN);',
      is: ['const last = first + (counted.at(-1)?.[0] && NaN);'],
      why: countsAlone,
    },
    {
      was: 'if (last < Math.min(listed, end, previous + 7300)) {',
      is: [
        'if (false) {',
        'if (last < Math.min(listed, end, previous + 7300)) {}',
        'if (last < Math.min(listed, end, previous - 7300)) {',
      ],
      why: countsAlone,
    },
    {
      was: 'if (first > Math.min(end, previous + 7305)) return;',
      is: ['if (first > Math.max(end, previous + 7305)) return;'],
      why: savesTime,
    },
    {
      was: 'if (day > end || (day > previous + 7300 && day > in20Years(previous))) return;',
      is: [
        'if (day > end || (day > previous - 7300 && day > in20Years(previous))) return;',
        'if (day > end || (day >= previous + 7300 && day > in20Years(previous))) return;',
        'if (day > end || (true && day > in20Years(previous))) return;',
      ],
      why: savesTime,
    },
  ],
  'packages/recurrence/series.ts': [
    {
      was: String.raw`const [, part] = /\b(BY\w+|WKST)=/i.exec(text) ?? [];`,
      is: [String.raw`const [, part] = /\b(BY\w+|WKST)=/i.exec(text) ?? ["Stryker was here"];`],
      why: 'Only the second element is used.',
    },
    {
      was: 'if (next.date === lastDate && !isInYears(dueOf(next).time ?? lastMoment)) return;',
      is: ['if (true && !isInYears(dueOf(next).time ?? lastMoment)) return;'],
      why: 'Only the last day can end in another year: the condition saves time.',
    },
    {
      was: "const start = basis === 'COMPLETION' || own.start < own.date ? own.start : own.date;",
      is: ["const start = basis === 'COMPLETION' || own.start <= own.date ? own.start : own.date;"],
      why: 'Of two equal dates, either is the earlier one.',
    },
    {
      was: 'const later = (date: string, other: string) => (date > other ? date : other);',
      is: ['const later = (date: string, other: string) => (date >= other ? date : other);'],
      why: 'Of two equal dates, either is the later one.',
    },
    {
      was: 'from = { ...recurrence, date: later(earliest, on > today ? today : on) };',
      is: ['from = { ...recurrence, date: later(earliest, on >= today ? today : on) };'],
      why: 'Of two equal dates, either is the earlier one.',
    },
  ],
};
