import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { log } from '@taskgate/base';
import { FairQueue } from '../fair-queue.ts';
import { Overload } from '../overload.ts';
import { captureLog, type CapturedLog } from '../../../test/kit/log-lines.ts';

const limits = {
  maxInFlight: 100,
  maxInBurst: 100,
  minInFlight: 10,
  highDelayMs: 150,
  lowDelayMs: 75,
  highWaitMs: 1_000,
  lowWaitMs: 500,
  windowMs: 500,
};

let lines: CapturedLog;
beforeEach(() => {
  log.level = 'info';
  lines = captureLog();
});
afterEach(() => lines.release());

describe('requests in flight', () => {
  test('are admitted up to the bound', () => {
    const overload = new Overload({ ...limits, maxInFlight: 2, maxInBurst: 2 }, () => 0);
    overload.begin();
    expect(overload.admits('http')).toBe(true);
    overload.begin();
    expect(overload.admits('http')).toBe(false);
    overload.end();
    expect(overload.admits('http')).toBe(true);
  });

  test('do not include one that waits for others of its key, until its client has gone', async () => {
    const overload = new Overload({ ...limits, maxInFlight: 2, maxInBurst: 2 }, () => 0);
    const queue = new FairQueue({ name: 'test', slots: Infinity, slotsPerKey: 1, idle: 'all' });
    const client = new AbortController();
    let finish = () => {};
    const first = overload.during(() =>
      queue.run('a', () => new Promise<void>((resolve) => (finish = resolve)), { signal: client.signal }),
    );
    const second = overload.during(() => queue.run('a', () => Promise.resolve(), { signal: client.signal }));
    expect(overload.inFlight).toBe(1);
    // Without a signal it can outlast its client's request, so it counts.
    const duringRun = overload.during(() => queue.run('a', () => Promise.resolve()));
    expect(overload.inFlight).toBe(2);
    client.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    expect(overload.inFlight).toBe(2);
    finish();
    await Promise.all([first, duringRun]);
    expect(overload.inFlight).toBe(0);
  });
});

describe('the bound', () => {
  let delay = 0;
  const overloadWith = () => new Overload(limits, () => delay);
  const observe = (overload: Overload, ms: number, windows = 1) => {
    delay = ms;
    for (let count = 0; count < windows; count += 1) overload.adjust();
    return overload.limit;
  };

  test('is lowered while the event loop is late, down to its minimum', () => {
    const overload = overloadWith();
    expect(observe(overload, 151)).toBe(100);
    expect(observe(overload, 151)).toBe(70);
    expect(observe(overload, 151)).toBe(49);
    expect(observe(overload, 151, 100)).toBe(10);
  });

  test('is lowered while requests are in flight for too long', () => {
    const overload = overloadWith();
    const serve = (ended: number) => {
      for (let count = 0; count < ended; count += 1) {
        overload.end();
        overload.begin();
      }
      return observe(overload, 0);
    };
    for (let count = 0; count < 40; count += 1) overload.begin();
    observe(overload, 0);
    // 39 requests that end at 15 per half second take 1.3 s each.
    expect(serve(15)).toBe(100);
    expect(serve(15)).toBe(70);
    expect(serve(30)).toBe(70);
    expect(serve(41)).toBe(86);
  });

  test('stays if few are in flight, however long they take', () => {
    const overload = overloadWith();
    for (let count = 0; count < limits.minInFlight - 1; count += 1) overload.begin();
    expect(observe(overload, 0, 10)).toBe(100);
  });

  test('stays if only one window was late, as after one long task', () => {
    const overload = overloadWith();
    for (let count = 0; count < 20; count += 1) {
      observe(overload, 5_000);
      observe(overload, 100);
    }
    expect(overload.limit).toBe(100);
  });

  test('is raised again below the lower mark, and stays between the two', () => {
    const overload = overloadWith();
    const lowered = observe(overload, 200, 4);
    expect(observe(overload, 100, 20)).toBe(lowered);
    expect(observe(overload, 74)).toBe(lowered + 16);
    expect(observe(overload, 0, 20)).toBe(100);
  });

  test('is lowered by a blocked event loop, and then refuses a request that it admitted before', async () => {
    const overload = new Overload({ ...limits, highDelayMs: 5, lowDelayMs: 1 });
    for (let count = 0; count < 10; count += 1) overload.begin();
    expect(overload.admits('http')).toBe(true);
    while (overload.limit > 10) {
      // Each turn of the loop is long and has a sample of the delay.
      for (let turns = 0; turns < 5; turns += 1) await blockedTurn(50);
      overload.adjust();
    }
    expect(overload.admits('http')).toBe(false);
  });
});

describe('a burst', () => {
  const admit = (overload: Overload, count: number) => {
    let admittedCount = 0;
    for (; admittedCount < count && overload.admits('http'); admittedCount += 1) overload.begin();
    return admittedCount;
  };
  const end = (overload: Overload, count: number) => {
    for (let ended = 0; ended < count; ended += 1) overload.end();
  };
  const overloadWith = (delay = () => 0) =>
    new Overload({ ...limits, maxInBurst: 1_000, highWaitMs: Infinity, lowWaitMs: Infinity }, delay);

  test('is admitted beyond the bound if it is finished in time, and so is the next one', () => {
    const overload = overloadWith();
    for (let burstCount = 0; burstCount < 3; burstCount += 1) {
      expect(admit(overload, 2_000)).toBe(1_000);
      end(overload, 1_000);
      overload.adjust();
    }
  });

  test('causes refusals if it is not finished in time, until half of the bound is left', () => {
    const overload = overloadWith();
    admit(overload, 300);
    overload.adjust();
    // The smallest number in this window is 300.
    overload.adjust();
    expect(overload.limit).toBe(100);
    expect(admit(overload, 1)).toBe(0);
    end(overload, 210);
    expect(admit(overload, 100)).toBe(10);
    overload.adjust();
    overload.adjust();
    expect(overload.limit).toBe(100);
    end(overload, 51);
    overload.adjust();
    expect(overload.limit).toBe(1_000);
  });

  test('is refused while the event loop is late', () => {
    const overload = overloadWith(() => 200);
    overload.adjust();
    overload.adjust();
    expect(admit(overload, 1_000)).toBe(70);
  });
});

function blockedTurn(milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
  return new Promise((resolve) => void setTimeout(resolve, 1));
}

test('an overload has a line in the log when it begins, and one when it is over', () => {
  const overload = new Overload({ ...limits, maxInFlight: 1, maxInBurst: 1 }, () => 0);
  overload.begin();
  for (let count = 0; count < 5; count += 1) overload.admits('http');
  overload.adjust();
  overload.admits('websocket');
  for (let count = 0; count < 30; count += 1) overload.adjust();
  expect(lines.lines.map(({ msg, refused }) => [msg, refused])).toEqual([
    ['overloaded: requests are refused', undefined],
    ['the overload is over', 6],
  ]);
});
