import { afterEach, expect, test } from '@jest/globals';
import { captureLog, type CapturedLog, levels } from '../kit/log-lines.ts';
import { type Service, startService } from '../kit/service.ts';

let service: Service;
let log: CapturedLog;
afterEach(async () => {
  log.release();
  await service.close();
});

async function requestFrom(...origins: string[]) {
  service = await startService({ CORS_ORIGINS: origins.join(','), LOG_LEVEL: 'warn' });
  log = captureLog();
  for (const Origin of origins) {
    const { status } = await service.anonymous.get('/api/v1/auth-check', { headers: { Origin } });
    expect(status).toBe(200);
  }
  return log.lines.filter(({ level }) => level >= levels.warn);
}

test('a page of localhost that calls 127.0.0.1 causes one warning, because its browser keeps no session', async () => {
  expect(await requestFrom('http://localhost:5173', 'http://localhost:5174')).toEqual([
    expect.objectContaining({
      origin: 'http://localhost:5173',
      msg: 'a page calls the service by another name than its own, so its browser keeps no session: use one name',
    }),
  ]);
});

test('a page of another address of the machine causes the warning too', async () => {
  expect(await requestFrom('http://127.8.9.1:5173')).toMatchObject([{ origin: 'http://127.8.9.1:5173' }]);
});

test('pages of the same name and of other machines cause no warning', async () => {
  expect(await requestFrom('http://127.0.0.1:5173', 'https://app.example')).toEqual([]);
});
