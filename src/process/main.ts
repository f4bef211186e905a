import { Shutdown } from './shutdown.ts';

// Signals are heard from the first moment on: what takes time to load is loaded after that.
const shutdown = new Shutdown();
const { run } = await import('./run.ts');
process.exit(await run(shutdown));
