import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Attempt } from '@taskgate/outbox';
import { smtpTransport, type Transport } from '../../src/notifications/transport.ts';
import { openSmtpSink, type SmtpSink } from '../kit/smtp-sink.ts';

const mail = { from: 'tasks@example.com', to: 'anna@example.com', subject: 'News', text: 'News\n', messageId: '<1@x>' };

describe('an attempt by SMTP', () => {
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
