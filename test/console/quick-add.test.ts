import { expect, test } from '@jest/globals';
import { type QuickAddContext, readQuickAdd } from '../../console/src/tasks/quick-add-grammar.ts';
import { namesOf as namedMembers } from '../../console/src/app/names.ts';
import { RuleError } from '../../packages/recurrence/rule.ts';
import { setSeries } from '../../packages/recurrence/series.ts';
import { summaryOf } from '../../packages/recurrence/summary.ts';
import { dates, now, rules } from './dates.ts';

const projects = [
  { id: 'work', name: 'Work' },
  { id: 'garden', name: 'Work in the garden' },
];
const namesOf = (...names: string[]) => names.map((name) => ({ id: name, name, aliases: [] }));
/** The inbox has no members. */
const membersOf: QuickAddContext['membersOf'] = (id) =>
  id === 'work' ? [{ id: 'ada', name: 'Ada Lovelace', aliases: ['Ada', 'ada@example.com'] }, ...namesOf('Bert')] : [];
/** As in the console, with the service's own rules. */
const firstDayAt =
  (at: Date): QuickAddContext['firstDayOf'] =>
  (repeat, day) => {
    try {
      const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
      const { recurrence } = setSeries(repeat, { date: day ?? null, time: null }, { current: null, now: at, zone });
      return recurrence.date;
    } catch (error) {
      if (error instanceof RuleError) return undefined;
      throw error;
    }
  };
const read = (
  line: string,
  { isDayFirst = true, at = now, defaultDay }: { isDayFirst?: boolean; at?: Date; defaultDay?: string } = {},
  dismissedTexts?: ReadonlySet<string>,
) =>
  readQuickAdd(
    line,
    { projects, membersOf, now: at, isDayFirst, defaultDay, firstDayOf: firstDayAt(at) },
    dismissedTexts,
  );

function understood(line: string, options?: Parameters<typeof read>[1]): string {
  const { title, tokens } = read(line, options);
  const values = tokens.map((token) => {
    if (token.kind === 'date') return token.time === undefined ? token.day : `${token.day} ${token.time}`;
    if (token.kind === 'repeat')
      return `${token.recurrence.rule}${token.recurrence.basis === 'SCHEDULE' ? '' : '!'} ${token.day}`;
    if (token.kind === 'tag') return `#${token.name}`;
    if (token.kind === 'assignee') return `+${token.id}`;
    return token.kind === 'project' ? `@${token.id}` : `!${token.priority}`;
  });
  return [title, ...values].join(' | ');
}

test.each(dates)('“%s” is a date', (text, meant) => {
  expect(understood(`Call Ada ${text}`)).toBe(`Call Ada | ${meant}`);
});

test('a date can be anywhere, also apart from its time', () => {
  expect(understood('Tomorrow, call Ada')).toBe('call Ada | 2027-02-01');
  expect(understood('At 17:00 call Ada tomorrow')).toBe('call Ada | 2027-02-01 17:00');
  expect(understood('Call Ada tomorrow about the monday meeting')).toBe(
    'Call Ada about the monday meeting | 2027-02-01',
  );
});

test('a time without a day belongs to the day of the field', () => {
  const options = { defaultDay: '2027-02-10' };
  expect(understood('Call Ada 17:00', options)).toBe('Call Ada | 2027-02-10 17:00');
  expect(understood('Call Ada tomorrow 17:00', options)).toBe('Call Ada | 2027-02-01 17:00');
  expect(understood('Call Ada', options)).toBe('Call Ada');
});

test('a day and a month in numbers follow the order of the locale', () => {
  expect(understood('Pay 12/24', { isDayFirst: false })).toBe('Pay | 2027-12-24');
  expect(understood('Pay 2/1', { isDayFirst: false })).toBe('Pay | 2027-02-01');
  for (const line of ['Pay 24/12', 'Pay 24.12.']) expect(understood(line, { isDayFirst: false })).toBe(line);
});

test.each([
  ...['Call Tom about the roof', 'Tod and Tom', 'Enjoy the sun', 'Where Tom sat', 'The day we wed', 'Mon ami'],
  ...['Pay 2027-02-30', 'Pay 30 feb', 'Pay 29 Feb 2027', 'Pay apr 31', 'Pay 31/4', 'Pay 0000-01-01', 'Pay 24 Dec 1914'],
  ...['Call 25:00', 'Call mon 25:00', 'Call 13:00 pm', 'Call 9:60'],
  ...['Run each fri', 'Ask about last friday', 'Rest until friday', 'Eat before noon', 'Not after 9:00'],
  ...['Sort everything', 'Check every page', 'Wash everyday shoes', 'Not every', 'Pay every 32nd', 'Run every 0 days'],
  ...[
    'Read every 5th page',
    'Admire every sun beam',
    'Run every 5000 days',
    'Run every! monday',
    'Run every.day',
    'Run each day',
  ],
  ...['Run every day until today', 'Run every day for 20000 times'],
  ...['Call mon 9-10', 'Call 9:00-10:00', 'Call 9:00 - 10:00', 'Off from mon to fri', 'Move monday call to friday'],
  ...['Mon or tue', 'Trip 5 - 6 june', 'Call dec 5 pm', 'Take tomorrow 2 pills'],
  ...['Buy 1/2 pound of butter', 'Support 24/7 hours', 'Update to 1.2.3', 'Call Jan 5 times', 'March 3 miles'],
  ...['Read tomorrow’s paper', 'Pack for 3 days', 'mon-fri', 'Read 1984', 'Summer 2027', 'today/tomorrow'],
  ...[
    'Fix #42',
    'Price in #',
    'Is it !important',
    'Mail bob@Work.example',
    'Ask @nobody',
    'So: #, and @ and !',
    'Is  it',
  ],
])('“%s” is a title', (line) => {
  expect(understood(line)).toBe(line);
});

test.each([
  ['Draw +Ada @Work', 'Draw | +ada | @work'],
  ['Draw @Work +ada and +bert', 'Draw and | @work | +ada | +Bert'],
  ['+ada lovelace, draw @Work', 'draw | +ada | @work'],
  ['+ada-lovelace: draw +ADA@example.com @Work', 'draw | +ada | +ada | @work'],
  ['Draw +ada', 'Draw +ada'],
  ['Draw +adam @Work', 'Draw +adam | @work'],
  ['C++ for +1 and a+bert @Work', 'C++ for +1 and a+bert | @work'],
])('“%s” assigns the members of its project', (line, meant) => {
  expect(understood(line)).toBe(meant);
});

test('a member leaves the assignees with the project whose chip is removed', () => {
  const { title, tokens } = read('Draw +ada @Work', {}, new Set(['@Work']));
  expect([title, tokens]).toEqual(['Draw +ada @Work', []]);
});

test('each name means one member', () => {
  const member = (id: string, name: string | null, email: string) => ({ id, name, email, image: null });
  const members = [
    member('1', 'Ada Lovelace', 'ada@one.example'),
    member('2', 'Ada Byron', 'byron@two.example'),
    member('3', 'Bert', 'bert@one.example'),
    member('4', 'Bert', 'b@two.example'),
    member('5', null, 'ada@two.example'),
  ];
  expect(namedMembers(members)).toEqual([
    { id: '1', name: 'Ada Lovelace', aliases: ['ada@one.example'] },
    { id: '2', name: 'Ada Byron', aliases: ['byron@two.example', 'byron'] },
    { id: '3', name: 'bert@one.example', aliases: ['bert@one.example'] },
    { id: '4', name: 'b@two.example', aliases: ['b@two.example', 'b'] },
    { id: '5', name: 'ada@two.example', aliases: ['ada@two.example'] },
  ]);
});

test('only the understood part leaves the title', () => {
  expect(understood('Check money mon')).toBe('Check money | 2027-02-01');
  expect(understood('Mail bob@Work.example about @Work')).toBe('Mail bob@Work.example about | @work');
  expect(understood('Buy milk #home, eggs')).toBe('Buy milk, eggs | #home');
  expect(understood('Renew passport June 1 2028')).toBe('Renew passport | 2028-06-01');
  expect(understood('C#home is #home')).toBe('C#home is | #home');
  expect(understood('Dig @Work in the garden, now !high. #a #b')).toBe('Dig, now. | @garden | !HIGH | #a | #b');
  expect(understood('!low !important #x')).toBe('!important | !LOW | #x');
});

test('a task has one priority and one project: further ones stay in the title', () => {
  expect(understood('Dig !high !low @Work @Work')).toBe('Dig !low @Work | !HIGH | @work');
});

test('a past day is in the next year, if it exists there', () => {
  expect(understood('Pay 29 feb', { at: new Date('2028-02-29T10:00') })).toBe('Pay | 2028-02-29');
  expect(understood('Pay 29 feb', { at: new Date('2028-03-01T10:00') })).toBe('Pay 29 feb');
});

test('if clocks skip an hour, hours are counted, and a skipped time stays in the title', () => {
  const zone = process.env['TZ'];
  process.env['TZ'] = 'America/New_York';
  try {
    expect(understood('Call 2027-03-14 2:30')).toBe('Call 2027-03-14 2:30');
    expect(understood('Call in 2 hours', { at: new Date('2027-03-14T01:30') })).toBe('Call | 2027-03-14 04:30');
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test('title and parts together have all words of the line', () => {
  const others = ['!high', '#tag', '@Work', ''];
  for (const [text, meant] of dates) {
    for (const other of others) {
      for (const line of [`Call Ada ${other} ${text}`, `${other} Call Ada ${text}`, `Call Ada ${text} ${other}`]) {
        const { title, tokens } = read(line);
        const words = [title, ...tokens.map((token) => token.text)].join(' ').split(/\s+/);
        expect(words.toSorted()).toEqual(line.split(/\s+/).filter(Boolean).toSorted());
        expect(understood(line)).toContain(meant);
      }
    }
  }
});

test('a removed chip leaves its words in the title', () => {
  const dismissedTexts = new Set(['#tag', 'tomorrow 9:00']);
  expect(read('Call #tag tomorrow 9:00 !high', {}, dismissedTexts)).toMatchObject({
    title: 'Call #tag tomorrow 9:00',
    tokens: [{ kind: 'priority' }],
  });
});

test.each(rules)('“%s” is %s from %s: “%s”', (text, rule, day, summary) => {
  const { title, tokens } = read(`Call Ada ${text}`);
  expect(title).toBe('Call Ada');
  const [token] = tokens;
  if (token?.kind !== 'repeat') throw new Error('no rule');
  expect(`${token.recurrence.rule} ${token.day}`).toBe(`${rule} ${day}`);
  expect(summaryOf({ basis: 'SCHEDULE', ...token.recurrence, start: token.day })).toBe(summary);
});

test('a rule can be anywhere, beside a day, a time and other parts', () => {
  expect(understood('Every monday, call Ada')).toBe('call Ada | FREQ=WEEKLY;BYDAY=MO 2027-02-01');
  expect(understood('At 17:00 call Ada every 2 days #x about it')).toBe(
    'call Ada about it | #x | FREQ=DAILY;INTERVAL=2 2027-01-31 | 2027-01-31 17:00',
  );
  expect(understood('Rent tomorrow every month !high')).toBe('Rent | !HIGH | FREQ=MONTHLY 2027-02-01 | 2027-02-01');
  expect(understood('Run every day, every week')).toBe('Run, every week | FREQ=DAILY 2027-01-31');
  expect(understood('Water every! 3 days 9:00')).toBe('Water | FREQ=DAILY;INTERVAL=3! 2027-01-31 | 2027-01-31 09:00');
});

test('a rule whose chip is removed stays in the title, without its days', () => {
  expect(read('Run every monday 9:00', {}, new Set(['every monday']))).toMatchObject({
    title: 'Run every monday',
    tokens: [{ kind: 'date', day: '2027-01-31', time: '09:00' }],
  });
  expect(read('Run every monday 9:00', {}, new Set(['9:00']))).toMatchObject({
    title: 'Run 9:00',
    tokens: [{ kind: 'repeat', day: '2027-02-01' }],
  });
});
