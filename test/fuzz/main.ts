import { startTestPostgres } from '../kit/postgres.ts';
import { seedOfRun } from '../kit/random.ts';
import { wholeNumbers } from '../kit/whole-numbers.ts';
import { fuzz } from './fuzz.ts';

// npm run fuzz -- [--requests N] [--seed N]: prints memory at twenty checkpoints. The exit code is 0 if all checks passed.
const { requests, seed } = wholeNumbers({ requests: 20_000, seed: seedOfRun() });
console.log(`fuzz: ${requests} requests, seed ${seed}`);
// The kit builds the service under a lock on this server.
const server = await startTestPostgres();
try {
  const { faults, statuses, memory } = await fuzz({ requests, seed, checkpoints: 20 }, (line) => console.log(line));
  const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
  console.table(
    memory.map(({ rss, heapUsed, external }) => ({
      rss: megabytes(rss),
      heapUsed: megabytes(heapUsed),
      external: megabytes(external),
    })),
  );
  console.table(statuses);
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  await server.stop();
}
