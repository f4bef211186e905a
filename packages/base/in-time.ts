export class LateError extends Error {
  override readonly name = 'LateError';
}

const ticks = 20;

/**
 * Rejects if the work is late. It counts ticks, so a delay of the event loop does not count: a busy process must not
 * blame its peer.
 * @throws {LateError}, while the work continues
 */
export async function inTime<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    let left = ticks;
    timer = setInterval(() => {
      left -= 1;
      // Data that has already arrived is read first.
      if (left === 0) setImmediate(() => reject(new LateError(`no answer within ${milliseconds} ms`)));
    }, milliseconds / ticks);
  });
  return Promise.race([work, late]).finally(() => clearInterval(timer));
}

/** Whether the promise settles in time, either way. */
export const settlesWithin = (milliseconds: number, promise: Promise<unknown>): Promise<boolean> =>
  inTime(milliseconds, Promise.allSettled([promise])).then(
    () => true,
    () => false,
  );
