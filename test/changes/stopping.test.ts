import { expect, test } from '@jest/globals';
import { startService } from '../kit/service.ts';
import { withTimeout } from '../kit/until.ts';
import { signUp } from '../kit/users.ts';

test('a stream that begins while the service stops gets 503 with Retry-After, as all other requests do', async () => {
  const service = await startService();
  try {
    const anna = await signUp(service);
    service.services.changes.endSubscriptions();
    for (const path of ['/api/v2/events', '/api/v2/sync']) {
      const response = await fetch(`${service.url}${path}`, {
        headers: { Accept: 'text/event-stream', Cookie: anna.cookie ?? '' },
      });
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await response.json()).toMatchObject({ code: 'GOING_AWAY' });
    }
  } finally {
    await service.close();
  }
});

test('a subscription over SSE is cut at once, not at the end of SHUTDOWN_TIMEOUT_MS', async () => {
  const service = await startService();
  try {
    const anna = await signUp(service);
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { Accept: 'text/event-stream', 'Content-Type': 'application/json', Cookie: anna.cookie ?? '' },
      body: JSON.stringify({ query: 'subscription { taskChanges { cursor } }' }),
    });
    expect(response.status).toBe(200);
    service.services.changes.endSubscriptions();
    const cut = withTimeout('the end of the stream', response.text());
    await expect(cut).rejects.toThrow('terminated');
  } finally {
    await service.close();
  }
});
