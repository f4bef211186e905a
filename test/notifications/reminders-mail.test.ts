import { describe, expect, test } from '@jest/globals';
import { remindersMail } from '../../src/notifications/mails/reminder-mail.ts';

const reminders = (count: number) =>
  remindersMail(
    Array.from({ length: count }, (_, index) => ({
      title: `Buy soil ${index}`,
      projectName: index % 2 === 0 ? 'Garden' : 'Balcony',
      dueAt: new Date('2026-10-25T01:30:00Z'),
      isAllDay: index === 0,
    })),
    { timeZone: 'Europe/Berlin', unsubscribeUrl: 'https://tasks.example.com/unsubscribe/token' },
  );

describe('the mail of several reminders', () => {
  test('names the tasks by project, each with its due time', () => {
    const { subject, text } = reminders(3);
    expect(subject).toBe('Reminder: 3 tasks');
    expect(text).toContain(
      'Garden\n- Buy soil 0 · Sunday, 25 October 2026\n- Buy soil 2 · Sunday, 25 October 2026 at 02:30 CET\n\nBalcony\n- Buy soil 1 ·',
    );
    expect(text).not.toContain(' more');
  });

  test('names up to fifty tasks, and counts the rest', () => {
    const { text } = reminders(60);
    expect(text.match(/^- /gm)).toHaveLength(50);
    expect(text).toContain('and 10 more');
  });
});
