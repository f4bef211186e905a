import { expect } from '@jest/globals';
import { pruneChanges } from '../../src/changes/log/prune.ts';
import type { Service } from '../kit/service.ts';

/** Days for which changes are kept. */
export const days = 7;

/** Has the present period of the log last for half of the days. */
export const endPeriod = (service: Service) =>
  service.sql("UPDATE log_period SET began_at = now() - interval '3.5 days'");

/** Has an hour pass since all spaces begin after what is to be forgotten. */
export const passHour = (service: Service) =>
  service.sql("UPDATE log_period SET raised_at = raised_at - interval '1 hour'");

/** Has half of the days pass a number of times, each time with what is done every hour; after three, all that was logged before is forgotten. */
export async function passPeriods(service: Service, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await endPeriod(service);
    expect(await pruneChanges(days)).toBe(false);
    await passHour(service);
    expect(await pruneChanges(days)).toBe(true);
  }
}
