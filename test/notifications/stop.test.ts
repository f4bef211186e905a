import { afterAll, describe, expect, test } from '@jest/globals';
import { Client } from '../kit/client.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import { dataFolders, spawnService } from '../kit/process.ts';
import { randomEmail } from '../kit/random.ts';
import { silentServer } from '../kit/smtp.ts';

const folders = dataFolders();
afterAll(() => folders.remove());

describe('SIGTERM while mails are in flight', () => {
  test('ends the service well, though the SMTP server says nothing, and the log says what was lost', async () => {
    const server = await silentServer();
    const service = await spawnService({
      DATA_DIR: await folders.make(),
      DATABASE_URL: await createTestDatabase(),
      SMTP_URL: server.url,
    });
    const email = randomEmail();
    const client = new Client(service.url ?? '');
    expect(await client.post('/api/v1/user/signup/send-otp', { email })).toMatchObject({ status: 200 });
    await server.accepted;
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.errors()).toMatch(/"mails":1,.*"mails were not delivered before the service stopped"/);
    expect(service.errors()).not.toContain(email);
    expect(service.errors()).not.toMatch(/\b\d{6}\b is your|oneTimeCode/);
    await server.close();
  });
});
