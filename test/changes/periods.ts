import { expect } from '@jest/globals';
import { pruneChanges } from '../../src/changes/log/prune.ts';
import type { Service } from '../kit/service.ts';

/** Retention of changes, in days. */
export const days = 7;

/** Lets half of the retention pass within the present period of the log. */
export const endPeriod = (service: Service) =>
  service.sql("UPDATE log_period SET began_at = now() - interval '3.5 days'");

/** Lets an hour pass after the first revision of all spaces was raised. */
export const passHour = (service: Service) =>
  service.sql("UPDATE log_period SET raised_at = raised_at - interval '1 hour'");

/**
 * Lets half of the retention pass several times, and runs the hourly work each time. Three times forget all earlier
 * changes.
 */
export async function passPeriods(service: Service, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await endPeriod(service);
    expect(await pruneChanges(service.services.connections, days)).toBe(false);
    await passHour(service);
    expect(await pruneChanges(service.services.connections, days)).toBe(true);
  }
}
