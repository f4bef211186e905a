import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Attempt } from '../../src/notifications/attempt.ts';
import { smtpTransport, type Transport } from '../../src/notifications/transport.ts';
import { openSmtpSink, type SmtpSink } from '../kit/smtp-sink.ts';

const mail = { from: 'tasks@example.com', to: 'anna@example.com', subject: 'News', text: 'News\n', messageId: '<1@x>' };

describe('Attempt', () => {
  let sink: SmtpSink;
  let transport: Transport;
  beforeAll(async () => {
    sink = await openSmtpSink();
    transport = smtpTransport(sink.url, 1);
  });
  afterAll(async () => {
    transport.close();
    await sink.close();
  });

  test('checks its lease when the server is ready for the content', async () => {
    const steps: string[] = [];
    sink.setBehaviour(() => void steps.push('RCPT TO'));
    const attempt = new Attempt(performance.now() + 60_000);
    jest.spyOn(attempt, 'beginContent').mockImplementation(() => void steps.push('content'));
    await transport.send(mail, attempt);
    attempt.release();
    expect(steps).toEqual(['RCPT TO', 'content']);
    expect(await sink.take(mail.to)).toMatchObject({ subject: 'News', text: 'News\n' });
  });

  test('sends nothing if its lease has ended', async () => {
    sink.copies.clear();
    const attempt = new Attempt(performance.now() + 60_000);
    jest.spyOn(attempt, 'beginContent').mockImplementation(() => {
      throw new Error('it has ended');
    });
    await expect(transport.send(mail, attempt)).rejects.toThrow('it has ended');
    attempt.release();
    expect([...sink.copies]).toEqual([]);
  });

  test('sends nothing if the process was stopped for longer than its lease', async () => {
    sink.copies.clear();
    const until = performance.now() + 200;
    sink.setBehaviour(() => {
      while (performance.now() <= until);
      return undefined;
    });
    await expect(transport.send(mail, new Attempt(until))).rejects.toThrow();
    expect([...sink.copies]).toEqual([]);
  });
});

describe('the deadline of an attempt', () => {
  afterEach(() => void jest.useRealTimers());

  const startAttempt = () => {
    jest.useFakeTimers();
    const attempt = new Attempt(performance.now() + 300_000);
    jest.advanceTimersByTime(30_000);
    attempt.begin();
    return attempt;
  };

  test('is 20 seconds after its turn begins, until the content is sent', () => {
    const attempt = startAttempt();
    jest.advanceTimersByTime(19_999);
    expect(attempt.signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(attempt.signal.aborted).toBe(true);
    expect(() => attempt.beginContent()).toThrow();
  });

  test('is a minute in total once the content is sent', () => {
    const attempt = startAttempt();
    jest.advanceTimersByTime(19_000);
    attempt.beginContent();
    jest.advanceTimersByTime(40_999);
    expect(attempt.signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(attempt.signal.aborted).toBe(true);
  });

  test('is the end of its lease if that is earlier, also after a renewal or a loss', () => {
    jest.useFakeTimers();
    const attempt = new Attempt(performance.now() + 10_000);
    attempt.begin();
    jest.advanceTimersByTime(9_000);
    attempt.leaseUntil(performance.now() + 10_000);
    jest.advanceTimersByTime(9_999);
    expect(attempt.isHeld).toBe(true);
    attempt.leaseUntil(0);
    expect([attempt.isHeld, attempt.signal.aborted]).toEqual([false, true]);
  });
});
