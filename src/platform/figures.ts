import { logFailure } from '@taskgate/postgres';

/** The reader returns NaN if the database is unavailable. */
export const figureOf = (name: string, read: () => Promise<number>) => async (): Promise<number> => {
  try {
    return await read();
  } catch (error) {
    logFailure(error, `the metric of ${name} could not be read`);
    return Number.NaN;
  }
};
