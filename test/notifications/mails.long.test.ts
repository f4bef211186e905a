import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as mails from '../../src/notifications/mails/account-mails.ts';
import { digestMail, type DigestPart, type DigestTask } from '../../src/notifications/mails/digest-mail.ts';
import { invitationMail } from '../../src/notifications/mails/invitation-mail.ts';
import type { Mail } from '../../src/notifications/mails/layout.ts';
import { reminderMail, remindersMail } from '../../src/notifications/mails/reminder-mail.ts';
import { testMail } from '../../src/notifications/mails/test-mail.ts';
import { activityMails } from './activity-mails.ts';
import { plainTextOf, visibleText } from './mail-texts.ts';
import { openPage } from '../kit/browser.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';

const publicUrl = 'https://tasks.example.com';
const unsubscribeUrl = `${publicUrl}/unsubscribe/token`;
const actor = { device: 'Firefox on Linux', network: '192.0.2.7', appUrl: publicUrl };

const makeTask = (overrides: Partial<DigestTask> = {}): DigestTask => ({
  title: 'Buy soil',
  projectName: 'Garden',
  dueDate: null,
  dueTime: null,
  priority: null,
  ...overrides,
});

const digest = (tasksByPart: Partial<Record<DigestPart, DigestTask[]>> = {}) => {
  const part = (tasks: DigestTask[] = []) => ({ count: tasks.length, tasks });
  return digestMail({
    date: '2026-10-25',
    timeZone: 'Europe/Berlin',
    overdue: part(tasksByPart.overdue),
    today: part(tasksByPart.today),
    upcoming: part(tasksByPart.upcoming),
    unsubscribeUrl,
  });
};

const dueTask = { title: 'Buy soil', projectName: 'Garden', dueAt: new Date('2026-10-25T01:30:00Z'), isAllDay: false };
const reminder = (overrides: Partial<Parameters<typeof reminderMail>[0]> = {}) =>
  reminderMail({
    ...dueTask,
    timeZone: 'Europe/Berlin',
    unsubscribeUrl,
    ...overrides,
  });

/** Each mail, with the same text for every text of a user. */
const mailsWith = (text: string): Record<string, Mail> => ({
  code: mails.codeMail('048213'),
  'an account there is': mails.hasAccountMail(),
  'a code to reset the password': mails.resetCodeMail('048213'),
  'a code to change the address': mails.emailCodeMail('048213'),
  'an address that is taken': mails.emailTakenMail(),
  'a reset password': mails.passwordResetMail({ ways: [{ kind: 'passkey', name: text }], haveEnded: false })(actor),
  'another address': mails.emailChangedMail({ ...actor, device: text }),
  'a new device': mails.newDeviceMail({ ...actor, device: text, at: new Date('2026-11-22T10:20:30Z') }),
  'a new password': mails.passwordChangedMail({ isFirst: false })({ ...actor, device: text }),
  'another way in': mails.waysInChangedMail(mails.changes.passkeyAdded(text))({ ...actor, device: text }),
  'a deleted account': mails.accountDeletedMail({ ...actor, device: text }),
  invitation: invitationMail({
    workspaceName: text,
    inviterName: text,
    inviterEmail: 'anna@example.com',
    openDays: 14,
    appUrl: publicUrl,
  }),
  reminder: reminder({ title: text, projectName: text }),
  reminders: remindersMail(Array(60).fill({ ...dueTask, title: text, projectName: text }), {
    timeZone: 'UTC',
    unsubscribeUrl,
  }),
  digest: digest({
    overdue: [makeTask({ title: text, projectName: text, dueDate: '2026-01-02', priority: 'HIGH' })],
    today: [makeTask({ title: text, dueTime: new Date('2026-10-25T17:00:00Z') })],
    upcoming: Array.from({ length: 60 }, () => makeTask({ title: text, dueDate: '2026-10-27' })),
  }),
  'an empty digest': digest(),
  ...activityMails(text),
  test: testMail(),
});

const linksOf = (html: string) =>
  [...html.matchAll(/\b(?:href|src|action|background)="([^"]*)"/g)].map(([, url]) => url);

const texts: Record<string, string> = {
  'a script': `<script>alert("1")</script>`,
  'a picture': `"><img src=//evil.example/x.png onerror='alert(1)'>`,
  'the end of the page, and a link': `</title></style></body><a href="https://evil.example">log in</a>`,
  entities: '&lt;b&gt; & &amp;',
  'further lines': 'one\r\nBcc: eve@example.com\u2028two\u0085three\u0000',
  'other directions': '\u202egnp.exe\u2066\u061c\u200f',
  Hebrew: 'שלום עולם',
  'a long word': 'word'.repeat(125),
};

describe('each mail', () => {
  test.each(Object.entries(texts))('has the same text in plain text and in HTML if users write %s', (_name, text) => {
    for (const [name, mail] of Object.entries(mailsWith(text))) {
      expect([name, visibleText(mail.html)]).toEqual([name, plainTextOf(mail.text)]);
    }
  });

  test.each(Object.entries(texts))('links only to the service, and loads nothing, if users write %s', (_name, text) => {
    for (const [name, { html }] of Object.entries(mailsWith(text))) {
      const knownUrl: unknown = expect.stringMatching(/^https:\/\/tasks\.example\.com(\/unsubscribe\/token)?$/);
      expect([name, linksOf(html)]).toEqual([name, linksOf(html).map(() => knownUrl)]);
      expect(html).not.toMatch(/<(script|img|iframe|link|object|form|base)\b|url\(|@import|@font-face/i);
    }
  });

  test('keeps user text within its line and direction', () => {
    const text = 'one\r\nBcc: eve@example.com\u2028\u202etwo';
    expect(reminder({ title: text, projectName: text }).text.split('\n').slice(0, 6)).toEqual([
      'one Bcc: eve@ example. com two',
      '==============================',
      '',
      'Due:       Sunday, 25 October 2026 at 02:30 CET',
      'Time zone: Europe/Berlin',
      'Project:   one Bcc: eve@ example. com two',
    ]);
    for (const [name, { subject, text: mailText, html }] of Object.entries(mailsWith(text))) {
      expect([name, /[\p{Bidi_Control}\u2028\r]/u.test(subject + mailText + html)]).toEqual([name, false]);
    }
  });

  test.each([
    'https://evil.example/login',
    'www.evil.example',
    'evil.example/login',
    'Pay.Now@evil.example',
    'ftp://10.0.0.1/x',
    'evil。example',
  ])('prevents mail clients from making a link of user text: %s', (text) => {
    const links = /[a-z]+:\/\/\S+|\S+@\S+|[^\s.。]+[.。][^\s\d.。]\S*/giu;
    for (const [name, mail] of Object.entries(mailsWith(text))) {
      for (const mailText of [mail.text, visibleText(mail.html)]) {
        const ownUrls = [publicUrl, unsubscribeUrl, `${publicUrl}.`, `${publicUrl}:`, '(anna@example.com)'];
        const found = (mailText.match(links) ?? []).filter((each) => !ownUrls.includes(each));
        expect([name, found]).toEqual([name, []]);
      }
    }
  });

  test('cuts names to sixty characters', () => {
    const text = 'n'.repeat(255);
    const { text: invited } = mailsWith(text)['invitation'] as Mail;
    const cut = `${'n'.repeat(59)}…`;
    expect(invited.split('\n')[0]).toBe(`${cut} (anna@example.com) invites you to the workspace "${cut}" on Taskgate.`);
    expect(reminder({ projectName: text }).text).toMatch(new RegExp(`^Project: +${cut}$`, 'm'));
    expect(digest({ today: [makeTask({ projectName: text })] }).text).toMatch(new RegExp(`^${cut}$`, 'm'));
  });

  test('has no six-digit number except the code', () => {
    for (const [name, { subject, text, html }] of Object.entries(mailsWith('Buy soil'))) {
      const numbers = `${subject}\n${text}\n${visibleText(html)}`.match(/\b\d{6}\b/g) ?? [];
      expect([name, numbers]).toEqual([name, /^a?\s?code/.test(name) ? ['048213', '048213', '048213'] : []]);
    }
  });
});

describe('subjects', () => {
  const breaks = ['\r', '\n', '\u2028', '\u202e', '\0', ' ', 'a', '🦊', 'e\u0301'];
  const text = fc.oneof(
    ...['binary' as const, fc.constantFrom(...breaks)].map((unit) => fc.string({ unit, maxLength: 500, size: 'max' })),
  );

  test('have one line of at most 150 characters without control characters, whatever the title', () => {
    fc.assert(
      fc.property(text, (title) => {
        const { subject } = reminder({ title });
        expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        expect(subject.length).toBeLessThanOrEqual(150);
        expect(subject.isWellFormed()).toBe(true);
      }),
      // Shrinking a long text would take minutes.
      { endOnFailure: true },
    );
  });

  test('have no user text except a title', () => {
    const subjectsWith = (each: string) =>
      Object.fromEntries(Object.entries(mailsWith(each)).map(([name, { subject }]) => [name, subject]));
    expect(subjectsWith('Eve')).toEqual({
      ...subjectsWith('Anna'),
      reminder: 'Reminder: Eve',
      'activity of a task': 'Eve',
    });
  });

  test('have a short title unchanged, and the beginning of a long one without a split character', () => {
    expect(reminder({ title: 'Buy soil' }).subject).toBe('Reminder: Buy soil');
    const { subject } = reminder({ title: '👩‍👩‍👧'.repeat(60) });
    expect(subject).toMatch(/^Reminder: (👩‍👩‍👧)+…$/u);
    expect(subject.length).toBeGreaterThan(100);
  });

  test('count the tasks of a digest', () => {
    const [one, two] = [[makeTask()], [makeTask(), makeTask()]];
    expect(digest({ overdue: one, today: two, upcoming: one }).subject).toBe(
      'Your day: 1 overdue, 2 today, 1 in the next seven days',
    );
    expect(digest({ upcoming: two }).subject).toBe('Your day: 2 in the next seven days');
    expect(digest().subject).toBe('Your day: nothing is due');
  });
});

describe('the mail of a reminder', () => {
  const due = (overrides: Partial<Parameters<typeof reminderMail>[0]>) =>
    /^Due:\s+(.*)$/m.exec(reminder(overrides).text)?.[1]?.replace(',', '');

  test.each([
    ['2026-10-25T00:30:00Z', 'Europe/Berlin', 'Sunday 25 October 2026 at 02:30 CEST'],
    ['2026-10-25T01:30:00Z', 'Europe/Berlin', 'Sunday 25 October 2026 at 02:30 CET'],
    ['2026-03-29T01:00:00Z', 'Europe/Berlin', 'Sunday 29 March 2026 at 03:00 CEST'],
    ['2026-12-31T22:59:00Z', 'Europe/Berlin', 'Thursday 31 December 2026 at 23:59 CET'],
    ['2026-12-31T23:00:00Z', 'Europe/Berlin', 'Friday 1 January 2027 at 00:00 CET'],
    ['2026-12-31T10:00:00Z', 'Pacific/Kiritimati', 'Friday 1 January 2027 at 00:00 GMT+14'],
    ['2027-01-01T11:59:00Z', 'Etc/GMT+12', 'Thursday 31 December 2026 at 23:59 GMT-12'],
  ])('says that a task due at %s is due in %s at %s', (dueAt, timeZone, expectedText) => {
    expect(due({ dueAt: new Date(dueAt), timeZone })).toBe(expectedText);
    expect(reminder({ dueAt: new Date(dueAt), timeZone }).text).toContain(`Time zone: ${timeZone}\n`);
  });

  test.each([
    ['2027-01-01T08:00:00Z', 'Europe/Berlin', 'Friday 1 January 2027'],
    ['2026-12-31T19:00:00Z', 'Pacific/Kiritimati', 'Friday 1 January 2027'],
    ['2027-01-01T21:00:00Z', 'Etc/GMT+12', 'Friday 1 January 2027'],
  ])('names only the day of an all-day task, from %s in %s: %s', (dueAt, timeZone, expectedText) => {
    const fields = { dueAt: new Date(dueAt), timeZone, isAllDay: true };
    expect(due(fields)).toBe(expectedText);
    expect(reminder(fields).text).not.toMatch(/Time zone|09:00/);
  });

  test('names the moment in UTC if the time zone is unknown', () => {
    expect(due({ timeZone: 'Atlantis/Capital' })).toBe('Sunday 25 October 2026 at 01:30 UTC');
    expect(reminder({ timeZone: 'Atlantis/Capital' }).text).toContain('Time zone: UTC\n');
  });

  test('gives the reason for the mail, and a link to unsubscribe', () => {
    expect(reminder().text).toMatch(
      new RegExp(`\n-- \n.*because the reminder of this task is on.*\n\nStop all reminders: ${unsubscribeUrl}\n$`),
    );
  });
});

describe('the mail of a digest', () => {
  test('lists overdue tasks, tasks of today and upcoming tasks, by project, with their due times', () => {
    const { text } = digest({
      overdue: [
        makeTask({ title: 'Pay', projectName: 'Home', dueDate: '2025-12-31', priority: 'HIGH' }),
        makeTask({ title: 'Dig', dueTime: new Date('2026-10-24T21:59:00Z') }),
        makeTask({ title: 'Clean', projectName: 'Home', dueDate: '2026-10-24' }),
      ],
      today: [
        makeTask({ title: 'Buy soil', dueTime: new Date('2026-10-24T22:00:00Z'), priority: 'LOW' }),
        makeTask({ title: 'Water', dueDate: '2026-10-25' }),
      ],
      upcoming: [makeTask({ title: 'Plant', dueTime: new Date('2026-10-31T23:30:00Z') })],
    });
    const [content] = text.replace('Sunday,', 'Sunday').replace('Sun,', 'Sun').split('\n\n-- \n');
    expect(content?.split('\n').filter((line) => !/^[=-]*$/.test(line))).toEqual([
      'Sunday 25 October 2026',
      ...['Overdue', 'Home', '- Pay · 31 Dec 2025 · high priority', '- Clean · 24 Oct 2026'],
      ...['Garden', '- Dig · 24 Oct 2026, 23:59'],
      ...['Today', 'Garden', '- Buy soil · 00:00 · low priority', '- Water'],
      ...['Next seven days', 'Garden', '- Plant · Sun 1 Nov, 00:30'],
    ]);
  });

  test('names up to fifty tasks of a section, and counts the rest', () => {
    const tasks = (count: number) => Array.from({ length: count }, (_, index) => makeTask({ title: `Task ${index}` }));
    const { text } = digest({ overdue: tasks(50), upcoming: tasks(1051) });
    expect(text.match(/^- Task \d+$/gm)).toHaveLength(100);
    expect(text.match(/^and .*$/gm)).toEqual(['and 1001 more']);
  });

  test('stays below the size from which mail clients cut mails', () => {
    const tasks = Array.from({ length: 60 }, (_, index) =>
      makeTask({ title: '&'.repeat(500), projectName: `${index}`, dueDate: '2026-10-25', priority: 'MEDIUM' }),
    );
    const { html } = digest({ overdue: tasks, today: tasks, upcoming: tasks });
    // The worst case: every character is escaped, and each task has its own project. Real digests are a tenth of it.
    expect(Buffer.byteLength(html)).toBeLessThan(256 * 1024);
    const plain = tasks.map((each) => ({ ...each, title: 'word '.repeat(20), projectName: 'Garden' }));
    expect(Buffer.byteLength(digest({ overdue: plain, today: plain, upcoming: plain }).html)).toBeLessThan(102 * 1024);
  });

  test('gives the reason for the mail, and a link to unsubscribe', () => {
    expect(digest().text).toMatch(
      new RegExp(`\n-- \n.*because your daily digest is on.*\n\nStop the daily digest: ${unsubscribeUrl}\n$`),
    );
  });
});

describeWithBrowser('in a browser', () => {
  test('each mail fits a small window, shows its text, runs no script and loads nothing', async () => {
    const { browser, page, addresses, problems } = await openPage(publicUrl);
    try {
      await page.setViewportSize({ width: 320, height: 600 });
      for (const text of Object.values(texts)) {
        for (const [name, mail] of Object.entries(mailsWith(text))) {
          await page.setContent(mail.html);
          expect([name, await page.title()]).toEqual([name, mail.subject]);
          expect([name, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([name, 320]);
          const renderedText = await page.evaluate(() => document.body.innerText);
          const mailText = plainTextOf(mail.text.replaceAll(/^(.+): https:.*$/gm, '$1'));
          expect([name, renderedText.replaceAll(/\s+/g, ' ').trim()]).toEqual([name, mailText]);
        }
      }
      expect([addresses, problems]).toEqual([[], []]);
    } finally {
      await browser.close();
    }
  });
});
