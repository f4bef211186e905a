/**
 * Creates an async generator whose `return` does not wait for a pending `next`, unlike a generator function's.
 * @param stop ends the wait of `next`
 */
export function stream<Item>(
  next: () => Promise<IteratorResult<Item, void>>,
  stop: () => Promise<unknown>,
): AsyncGenerator<Item, void> {
  let isDone = false;
  const finish = async (): Promise<IteratorReturnResult<void>> => {
    isDone = true;
    await stop();
    return { done: true, value: undefined };
  };
  const generator: AsyncGenerator<Item, void> = {
    async next() {
      if (isDone) return { done: true, value: undefined };
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
    [Symbol.asyncIterator]: () => generator,
    [Symbol.asyncDispose]: async () => void (await finish()),
  };
  return generator;
}
