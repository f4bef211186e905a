import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { openSmtpSink, type SmtpSink } from '../kit/smtp-sink.ts';
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
  expect(
    sink.mails.filter(({ recipient, subject }) => recipient === anna.email && subject === 'Test mail from Taskgate'),
  ).toHaveLength(5);
  expect((await deliveriesOf(anna)).map(({ status }) => status)).toEqual(Array(6).fill('SENT'));
  await service.sql("UPDATE deliveries SET created_at = created_at - interval '1 hour' WHERE user_id = $1", [anna.id]);
  expect(await send()).toEqual({ data: { sendTestMail: true } });
});
