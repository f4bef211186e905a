/** It did not settle in time, and is left to itself. */
export class LateError extends Error {
  override readonly name = 'LateError';
}

/** The number of parts that a time is divided into. */
const parts = 20;

/**
 * Settles as the work does, if it does so within the milliseconds, of which only those count in which the event loop runs: on a busy
 * machine, the process does not mistake its own delay for that of others.
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

/** Whether the promise settles, either way, within the milliseconds. One that does not is left alone. */
export const within = (milliseconds: number, promise: Promise<unknown>): Promise<boolean> =>
  inTime(milliseconds, Promise.allSettled([promise])).then(
    () => true,
    () => false,
  );
