// Preloaded into the service that is fuzzed: at SIGWINCH it frees what it can, and writes what it still holds.
let reports = 0;
process.on('SIGWINCH', () => {
  globalThis.gc();
  globalThis.gc();
  process.stderr.write(`memory ${(reports += 1)} ${JSON.stringify(process.memoryUsage())}\n`);
});
