import { startTestPostgres } from '../kit/postgres.ts';
import { seedOfRun } from '../kit/random.ts';
import { wholeNumbers } from '../kit/whole-numbers.ts';
import { soak } from './soak.ts';

// npm run soak -- [--writes N] [--followers N] [--seed N]: prints progress and figures. The exit code is 0 if all checks passed.
const { writes, followers, seed } = wholeNumbers({ writes: 5000, followers: 8, seed: seedOfRun() });
const size = {
  seed,
  writes,
  followers,
  kills: Math.max(2, Math.round(writes / 1000)),
  restarts: Math.max(1, Math.round(writes / 3000)),
  // More data makes a first load longer.
  firstLoads: Math.min(50, Math.round(writes / 200)),
  checkpoints: Math.max(1, Math.round(writes / 5000)),
};
console.log(`soak: ${JSON.stringify(size)}`);
// The kit builds the service under a lock on this server.
const server = await startTestPostgres();
try {
  const { problems, ...figures } = await soak(size, (line) => console.log(line));
  console.table(figures);
  for (const problem of problems.slice(0, 20)) console.log(problem);
  console.log(`${problems.length} problems`);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  await server.stop();
}
