import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { Socket } from '../changes/stream.ts';
import { sharedService } from '../kit/shared-service.ts';
import { until } from '../kit/until.ts';
import { signUp } from '../kit/users.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function usedBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const query = 'subscription { taskChanges { taskId } }';

test('open subscriptions of a WebSocket do not hold their messages', async () => {
  const service = await sharedService();
  const anna = await signUp(service);
  const socket = await Socket.ready(service.url, anna.cookie);
  const open = async (count: number, pad: string) => {
    const first = service.services.subscriptions.usageOf(anna.id).subscriptions;
    for (let index = 0; index < count; index += 1) {
      const extensions = { pad: `${index}${pad}` };
      socket.send({ type: 'subscribe', id: `${first}-${index}`, payload: { query, extensions }, pad });
    }
    await until('they are open', () => service.services.subscriptions.usageOf(anna.id).subscriptions === first + count);
  };
  await open(10, '');
  const before = usedBytes();
  const [count, length] = [40, 400_000];
  await open(count, 'x'.repeat(length));
  // Other work of the process takes some, too.
  expect(usedBytes() - before).toBeLessThan((count * length) / 2);
  socket.close();
});

test('a WebSocket with the id of an operation above 255 characters is closed', async () => {
  const service = await sharedService();
  const socket = await Socket.ready(service.url, (await signUp(service)).cookie);
  socket.send({ type: 'subscribe', id: 'x'.repeat(256), payload: { query } });
  expect(await socket.closed).toMatchObject({ code: 4400, reason: 'An id has at most 255 characters' });
});
