import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { log } from '@taskgate/base';
import { openLockHolder } from '../kit/locks.ts';
import { captureLog } from '../kit/log-lines.ts';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { Endpoint } from './endpoint.ts';
import { makeWebhook, nearby } from './webhooks.ts';

let service: Service;
let anna: User;
let endpoint: Endpoint;
beforeAll(async () => {
  service = await startService(nearby);
});
afterAll(() => service.close());
beforeEach(async () => {
  anna = await signUp(service);
  endpoint = await Endpoint.open();
});
afterEach(() => endpoint.close());

describe.each([204, 500])('an endpoint that answers %i after its webhook was deleted', (status) => {
  test('leaves neither an attempt nor a fault', async () => {
    const { id } = (await makeWebhook(anna, endpoint.url)).webhook;
    const response = new Promise<ServerResponse>((resolve) => (endpoint.respond = resolve));
    await makeTask(anna);
    const answer = await response;
    const deletion = await openLockHolder(service);
    await deletion.sql('DELETE FROM webhooks WHERE id = $1', [id]);
    answer.writeHead(status).end();
    await until('its attempt waits for the deletion', async () => {
      const blocked = `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'webhook_attempts|lockFailingWebhook'`;
      return (await service.sql(blocked)).length > 0;
    });
    const { level } = log;
    log.level = 'warn';
    const captured = captureLog();
    await deletion.release();
    endpoint.respond = (response) => response.end();
    await makeWebhook(anna, endpoint.url);
    await makeTask(anna);
    await endpoint.next();
    await endpoint.next();
    captured.release();
    log.level = level;
    expect(captured.lines).toEqual([]);
    expect(await service.sql('SELECT FROM webhook_attempts WHERE webhook_id = $1', [id])).toEqual([]);
  });
});
