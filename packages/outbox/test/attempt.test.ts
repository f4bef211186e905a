import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Attempt } from '../attempt.ts';

describe('the deadline of an attempt', () => {
  afterEach(() => void jest.useRealTimers());

  const startAttempt = () => {
    jest.useFakeTimers();
    const attempt = new Attempt(performance.now() + 300_000);
    jest.advanceTimersByTime(30_000);
    attempt.begin();
    return attempt;
  };

  test('is 20 seconds after its turn begins, until the content is sent', () => {
    const attempt = startAttempt();
    jest.advanceTimersByTime(19_999);
    expect(attempt.signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(attempt.signal.aborted).toBe(true);
    expect(() => attempt.beginContent()).toThrow();
  });

  test('is a minute in total once the content is sent', () => {
    const attempt = startAttempt();
    jest.advanceTimersByTime(19_000);
    attempt.beginContent();
    jest.advanceTimersByTime(40_999);
    expect(attempt.signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(attempt.signal.aborted).toBe(true);
  });

  test('is the end of its lease if that is earlier, also after a renewal or a loss', () => {
    jest.useFakeTimers();
    const attempt = new Attempt(performance.now() + 10_000);
    attempt.begin();
    jest.advanceTimersByTime(9_000);
    attempt.leaseUntil(performance.now() + 10_000);
    jest.advanceTimersByTime(9_999);
    expect(attempt.isHeld).toBe(true);
    attempt.leaseUntil(0);
    expect([attempt.isHeld, attempt.signal.aborted]).toEqual([false, true]);
  });
});
