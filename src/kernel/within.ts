/** It did not settle in time, and is left to itself. */
export class LateError extends Error {
  override readonly name = 'LateError';
}

/** Into so many parts a time is divided. */
const parts = 20;

/**
 * Settles as the work does, if that is in so many milliseconds in which the event loop runs: where the machine is short of
 * processors, the process does not take its own lateness for that of others.
 * @throws {LateError}
 */
export async function inTime<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    let left = parts;
    timer = setInterval(() => {
      left -= 1;
      // What has come while the loop was busy is read first.
      if (left === 0) setImmediate(() => reject(new LateError(`no answer within ${milliseconds} ms`)));
    }, milliseconds / parts);
  });
  return Promise.race([work, late]).finally(() => clearInterval(timer));
}

/** Whether the promise settles, one way or the other, in so many milliseconds. One that does not is left to itself. */
export const within = (milliseconds: number, promise: Promise<unknown>): Promise<boolean> =>
  inTime(milliseconds, Promise.allSettled([promise])).then(
    () => true,
    () => false,
  );
