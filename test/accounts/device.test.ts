import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { deviceOf } from '../../src/accounts/sign-in/device.ts';

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('deviceOf', () => {
  test.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0', 'Firefox on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/128.0.0.0 Safari/537.36`, 'Chrome on Windows'],
    [
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Chrome/128.0.0.0 Safari/537.36 Edg/128.0.0.0`,
      'Microsoft Edge on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    [`Mozilla/5.0 (Linux; Android 14; Pixel 8) ${webKit} Chrome/128.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
    ['Mozilla/5.0 (X11; Linux x86_64)', 'Linux'],
    ['curl/8.9.1', 'curl'],
    ['TaskSync/2.0 (build 7)', 'TaskSync'],
    ['Mozilla/5.0', 'Unknown device'],
    ['  ', 'Unknown device'],
    ['', 'Unknown device'],
    [undefined, 'Unknown device'],
  ])('%j is %j', (userAgent, device) => {
    expect(deviceOf(userAgent)).toBe(device);
  });

  test('does not change with an update of the browser', () => {
    const firefox = (version: number) =>
      `Mozilla/5.0 (X11; Linux x86_64; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`;
    expect(deviceOf(firefox(140))).toBe(deviceOf(firefox(130)));
  });

  test('is 1 to 100 characters, whatever a client sends', () => {
    const pieces = fc.constantFrom(
      'Mozilla/5.0 ',
      '(X11; ',
      'Linux',
      ') ',
      'Version/',
      'Safari',
      '/',
      'x'.repeat(600),
      ' ',
    );
    const userAgents = fc.oneof(
      fc.string({ maxLength: 2000 }),
      fc.array(pieces, { maxLength: 60 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(userAgents, (userAgent) => {
        const { length } = deviceOf(userAgent);
        expect(length).toBeGreaterThan(0);
        expect(length).toBeLessThanOrEqual(100);
      }),
    );
  });
});
