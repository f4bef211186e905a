import { setFlagsFromString } from 'node:v8';
import { Shutdown } from './shutdown.ts';

// V8 collects garbage once the heap has grown by 30 % since the last time. By default it waits for up to four times as much,
// which doubled the memory of the process under load and made no request faster.
setFlagsFromString('--heap-growing-percent=30');

// Signals are heard from the first moment on: what takes time to load is loaded after that.
const shutdown = new Shutdown();
const { run } = await import('./run.ts');
process.exit(await run(shutdown));
