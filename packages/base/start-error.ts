/** Reason why the service cannot start. Its message is one line. */
export class StartError extends Error {}

/** Returns a `catch` handler that throws a StartError. */
export const because =
  (what: string) =>
  (error: NodeJS.ErrnoException): never => {
    if (error instanceof StartError) throw error;
    throw new StartError(`${what} (${error.code ?? error.message.split('\n')[0]})`);
  };
