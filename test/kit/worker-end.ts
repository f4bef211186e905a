/** `CHILD_MESSAGE_END` of jest-worker: the first item of the message that ends a worker. */
const endMessage = 2;

type Cleanup = () => Promise<unknown>;
const cleanups: Cleanup[] = [];

/** Runs `cleanup` once this process has no more test files. */
export function onWorkerEnd(cleanup: Cleanup): void {
  cleanups.push(cleanup);
  if (cleanups.length > 1 || !process.send) return;
  process.on('message', function listen(message: unknown) {
    if (!Array.isArray(message) || message[0] !== endMessage) return;
    process.off('message', listen);
    void endWorker();
  });
}

/** Jest sends no message if the tests run in its own process: the global teardown calls this. */
export async function endWorker(): Promise<void> {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()));
}
