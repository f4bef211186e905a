/** The start cannot go on; the message says why in one line. */
export class StartError extends Error {}

/** The environment holds a value that cannot be used; the message names every such variable in one line. */
export class ConfigError extends StartError {}

/**
 * For the `catch` of a step of the start.
 * @param what has failed, as the beginning of a line that ends with the error's code
 * @throws {StartError}
 */
export const because =
  (what: string) =>
  (error: NodeJS.ErrnoException): never => {
    if (error instanceof StartError) throw error;
    throw new StartError(`${what} (${error.code ?? error.message.split('\n')[0]})`);
  };
