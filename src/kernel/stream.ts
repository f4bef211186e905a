/**
 * Makes an async generator of two functions. Unlike a generator function's own, its `return` does not wait for a
 * `next` that is in flight: what waits for an event that may never come can be ended.
 * @param stop ends what `next` waits for; called where the consumer is done, or `next` has thrown
 */
export function stream<Item>(
  next: () => Promise<IteratorResult<Item, void>>,
  stop: () => Promise<unknown>,
): AsyncGenerator<Item, void> {
  let over = false;
  const finish = async (): Promise<IteratorReturnResult<void>> => {
    over = true;
    await stop();
    return { done: true, value: undefined };
  };
  const all: AsyncGenerator<Item, void> = {
    async next() {
      if (over) return { done: true, value: undefined };
      try {
        const result = await next();
        return result.done ? await finish() : result;
      } catch (error) {
        await finish();
        throw error;
      }
    },
    return: finish,
    throw: finish,
    [Symbol.asyncIterator]: () => all,
    [Symbol.asyncDispose]: async () => void (await finish()),
  };
  return all;
}
