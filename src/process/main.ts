import { setFlagsFromString } from 'node:v8';
import { Shutdown } from './shutdown.ts';

// V8 lets the heap grow fourfold before it collects garbage; 40 % is enough here. Prisma's WebAssembly runs seldom, so
// it is not optimized. Together they halve the memory under load, at no cost in CPU.
for (const flag of ['--heap-growing-percent=40', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) {
  setFlagsFromString(flag);
}

// Slow modules load after signals are handled.
const shutdown = new Shutdown();
const { run } = await import('./run.ts').catch((error: NodeJS.ErrnoException) => {
  // Its message has paths of the installation.
  console.error(`Taskgate cannot start: its files are incomplete or broken (${error.code ?? error.name})`);
  process.exit(1);
});
process.exit(await run(shutdown));
