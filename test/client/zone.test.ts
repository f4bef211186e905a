import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as client from '../../client/src/recurrence/zone.ts';
import * as service from '../../packages/recurrence/zone.ts';

const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'), 'UTC', 'PST8PDT', 'Mars/Phobos');
const options = { numRuns: 5000 };

/** Moments beside changes of clocks, by zone. */
const changes: [string, string][] = [
  ['Europe/Berlin', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00Z'],
  ['America/New_York', '2026-03-08T07:00Z'],
  ['America/New_York', '1883-11-18T17:00Z'],
  // Half an hour.
  ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
  // A day that does not exist, and one that occurs twice.
  ['Pacific/Apia', '2011-12-30T10:00Z'],
  ['Pacific/Kwajalein', '1993-08-21T12:00Z'],
  ['America/Sitka', '1867-10-18T23:00Z'],
  ['Africa/Casablanca', '2026-02-15T02:00Z'],
  ['America/Santiago', '2026-09-06T04:00Z'],
  ['Europe/Dublin', '1916-10-01T02:25:21Z'],
];
const moment = fc.oneof(
  fc.date({ min: new Date('0001-01-01T00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
  fc.date({ min: new Date('1840-01-01T00:00Z'), max: new Date('2040-01-01T00:00Z'), noInvalidDate: true }),
);
const zoned = fc.oneof(
  fc.tuple(zone, moment),
  fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -27 * 3600, max: 27 * 3600 }))
    .map(([[name, change], seconds]): [string, Date] => [name, new Date(Date.parse(change) + seconds * 1000)]),
);

describe('local times in the client', () => {
  test('are those of the service', () => {
    fc.assert(
      fc.property(zoned, ([name, at]) => {
        expect([name, client.localOf(at, name)]).toEqual([name, service.localOf(at, name)]);
      }),
      options,
    );
  });

  test('are at the moments of the service, also in gaps and if they occur twice', () => {
    fc.assert(
      fc.property(zoned, fc.boolean(), ([name, local], hasSeconds) => {
        const [date = '', time = ''] = local.toISOString().split('T');
        const args = [date, time.slice(0, hasSeconds ? 8 : 5), name] as const;
        expect([...args, client.momentOf(...args)]).toEqual([...args, service.momentOf(...args)]);
      }),
      options,
    );
  });
});
