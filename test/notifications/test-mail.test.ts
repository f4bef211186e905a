import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { openSmtpSink, type SinkMail, type SmtpSink } from '../kit/smtp-sink.ts';
import { until } from '../kit/until.ts';
import { deliveriesOf, planAndSend, signUpBy } from './deliveries.ts';

let sink: SmtpSink;
let service: Service;

beforeAll(async () => {
  sink = await openSmtpSink();
  service = await startService({ SMTP_URL: sink.url });
});
afterAll(async () => {
  await service.close();
  await sink.close();
});

test("a test mail goes to the caller's own address, at most five times an hour, even if limits are off", async () => {
  const anna = await signUpBy(service, sink);
  const send = () => anna.graphql('mutation { sendTestMail }');
  const answers = await Promise.all(Array.from({ length: 8 }, send));
  const codes = answers.map(({ data, errors }) => errors?.[0]?.extensions.code ?? data);
  expect(codes.filter((each) => each === 'RATE_LIMITED')).toHaveLength(3);
  expect(codes.filter((each) => each !== 'RATE_LIMITED')).toEqual(Array(5).fill({ sendTestMail: true }));
  const refusal = answers.find(({ errors }) => errors)?.errors?.[0];
  expect(refusal?.extensions['retryAfter']).toBeGreaterThan(3500);
  await planAndSend(service);
  const isTestMail = (mail: SinkMail) => mail.recipient === anna.email && mail.subject === 'Test mail from Taskgate';
  await sink.untilMet('five test mails arrive', () => sink.mails.filter(isTestMail).length === 5);
  const areSent = async () => (await deliveriesOf(anna)).filter(({ status }) => status === 'SENT').length === 6;
  await until('the test mails and the code are sent', areSent);
  // The second is of a clock that was set back.
  for (const moment of ["now() - interval '1 hour'", "now() + interval '1 day'"]) {
    await service.sql(`UPDATE deliveries SET created_at = ${moment} WHERE user_id = $1`, [anna.id]);
    expect(await send()).toEqual({ data: { sendTestMail: true } });
  }
});
