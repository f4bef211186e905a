import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient } from 'taskgate-client';
import { randomEmail } from '../kit/random.ts';
import { browserFetch, tourRest, WatchedOperations } from '../kit/rest-tour.ts';
import { type Service, startService } from '../kit/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('rest has a method for each operation of the OpenAPI document except streams', async () => {
  const operations = await WatchedOperations.fromDocument();
  const fetch = browserFetch(service.url, (request, response) => void operations.record(request, response));
  const email = randomEmail();
  const { rest } = createClient({ url: service.url, fetch });
  await tourRest(rest, email, (address) => service.mailbox.takeCode(address));
  expect(operations.missing.sort()).toEqual([
    'finishProviderSignIn',
    'linkProvider',
    'startProviderSignIn',
    'streamChanges',
  ]);
  expect(operations.queries).toContainEqual(expect.stringMatching(/^\?todoIds=task_\w+%2Ctask_\w+$/));
});
