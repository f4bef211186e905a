import { afterAll, beforeAll, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { roundsOf } from './random-undo.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('after any operations, undo brings back what there was, or names each difference', async () => {
  await roundsOf(() => service, { runs: Number(process.env['ROUNDS'] ?? 60), steps: 30 });
}, 1_200_000);
