import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FaultProxy } from '../kit/fault-proxy.ts';
import { makeComment, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import { type Service, startService } from '../kit/service.ts';
import { openSmtpSink, type SmtpSink } from '../kit/smtp-sink.ts';
import { nextStatement } from '../kit/statements.ts';
import { until, untilReady } from '../kit/until.ts';
import { signUp } from '../kit/users.ts';
import { FixedClock } from '../notifications/deliveries.ts';

let proxy: FaultProxy;
let sink: SmtpSink;
let service: Service;
const clock = new FixedClock(new Date().toISOString());
beforeAll(async () => {
  const databaseUrl = await createTestDatabase();
  [proxy, sink] = [await FaultProxy.open(databaseUrl), await openSmtpSink()];
  service = await startService({ SMTP_URL: sink.url }, { clock, databaseUrl, serviceDatabaseUrl: proxy.url });
});
afterAll(async () => {
  await service.close();
  await Promise.all([proxy.close(), sink.close()]);
});

test.each(['down', 'reset'] as const)(
  'a mail that is composed while the database is %s comes once it is back',
  async (mode) => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const { id: workspaceId } = await makeWorkspace(anna, ben);
    const { id, title } = await makeTask(anna, { projectId: (await makeProject(anna, { workspaceId })).id });
    await makeComment(anna, id, { text: `Look, @${ben.id}` });
    const composing = nextStatement('findActivity');
    clock.set(Date.now() + 301_000);
    service.services.mailer.wake();
    await composing;
    await proxy.set({ mode });
    const mails = () => sink.mails.filter(({ subject }) => subject === title);
    await until('the outage is noticed', async () => (await service.anonymous.get('/readyz')).status === 503);
    expect(mails()).toEqual([]);
    await proxy.set({ mode: 'ok' });
    await untilReady(service);
    await until('the mail comes', async () => {
      clock.set(Date.now() + 3_600_000);
      await service.services.mailer.drain();
      return mails().length > 0;
    });
    await service.services.mailer.drain();
    const rows = await service.sql("SELECT status FROM deliveries WHERE user_id = $1 AND kind = 'ACTIVITY'", [ben.id]);
    expect([mails().map(({ text }) => text?.includes('Look, @')), rows]).toEqual([[true], [{ status: 'SENT' }]]);
  },
);
