/** It did not settle in time, and is left to itself. */
export class LateError extends Error {
  override readonly name = 'LateError';
}

/**
 * Settles as the work does, if that is in so many milliseconds.
 * @throws {LateError}
 */
export async function inTime<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const expire = () => reject(new LateError(`no answer within ${milliseconds} ms`));
    // Where the process itself was busy for so long, what has come meanwhile is read first.
    timer = setTimeout(() => setImmediate(expire), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Whether the promise settles, one way or the other, in so many milliseconds. One that does not is left to itself. */
export const within = (milliseconds: number, promise: Promise<unknown>): Promise<boolean> =>
  inTime(milliseconds, Promise.allSettled([promise])).then(
    () => true,
    () => false,
  );
