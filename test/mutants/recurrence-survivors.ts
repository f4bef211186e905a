import type { Explanation } from './survivors.ts';

const savesTime = 'The bound saves time: the check beside it decides the same.';

export const recurrence: Readonly<Record<string, readonly Explanation[]>> = {
  'src/recurrence/rule.ts': [
    {
      was: "const [name = '', value = ''] = /^[A-Z-]+=[!-<>-~]+$/i.test(part) ? part.toUpperCase().split('=') : [];",
      is: [
        "const [name = '', value = \"Stryker was here!\"] = /^[A-Z-]+=[!-<>-~]+$/i.test(part) ? part.toUpperCase().split('=') : [];",
      ],
      why: 'Without a value, there is no name either, which is refused.',
    },
    {
      was: 'if (first > Math.min(end, previous + 7305)) return;',
      is: ['if (first > Math.max(end, previous + 7305)) return;'],
      why: savesTime,
    },
    {
      was: 'if (day > end || (day > previous + 7300 && day > yearsAfter(previous, 20))) return;',
      is: [
        'if (day > end || (day > previous - 7300 && day > yearsAfter(previous, 20))) return;',
        'if (day > end || (day >= previous + 7300 && day > yearsAfter(previous, 20))) return;',
        'if (day > end || (true && day > yearsAfter(previous, 20))) return;',
      ],
      why: savesTime,
    },
  ],
  'src/recurrence/series.ts': [
    {
      was: 'return time && time > lastMoment ? undefined : next;',
      is: ['return time && time >= lastMoment ? undefined : next;'],
      why: 'A local time has no milliseconds.',
    },
    {
      was: 'const isOutside = moved?.time && (moved.time < firstMoment || moved.time > lastMoment);',
      is: ['const isOutside = moved?.time && (moved.time < firstMoment || moved.time >= lastMoment);'],
      why: 'A local time has no milliseconds.',
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
