import { setFlagsFromString } from 'node:v8';
import { Shutdown } from './shutdown.ts';

// V8 waits until the heap has grown up to fourfold before it collects garbage; here 40 % is enough. Prisma's query compiler is
// WebAssembly that runs seldom, so it is not optimized. Together they halve the memory under load, and cost no CPU on balance.
for (const flag of ['--heap-growing-percent=40', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) {
  setFlagsFromString(flag);
}

// Signals are handled from the first moment on: what takes time to load is loaded after that.
const shutdown = new Shutdown();
const { run } = await import('./run.ts');
process.exit(await run(shutdown));
