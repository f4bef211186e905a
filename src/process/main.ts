import { setFlagsFromString } from 'node:v8';
import { Shutdown } from './shutdown.ts';

// V8 collects garbage once the heap has grown by 40 % since the last time, where it waits for up to four times as much by
// default; and it does not optimize WebAssembly, as Prisma's compiler of queries runs seldom. Both halve the memory under load; the
// latter saves more of the processor than the former takes.
for (const flag of ['--heap-growing-percent=40', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) {
  setFlagsFromString(flag);
}

// Signals are heard from the first moment on: what takes time to load is loaded after that.
const shutdown = new Shutdown();
const { run } = await import('./run.ts');
process.exit(await run(shutdown));
