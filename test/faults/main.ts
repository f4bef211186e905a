import { parseArgs } from 'node:util';
import { fuzz } from '../fuzz/fuzz.ts';
import { endServices } from '../kit/process.ts';
import { startTestPostgres } from '../kit/postgres.ts';
import { seededRandom, seedOfRun } from '../kit/random.ts';
import { sessionKinds } from './sessions.ts';
import { Totals } from './totals.ts';

// npm run test:faults -- [--seed N] [--rounds N] [--only NAME]: prints a line per round and a table. The exit code is 0 if all checks passed. Each
// kind of installation starts once and has its faults in random order. NAME selects faults by a part of their name, an installation (`standalone`,
// `cluster`, `smallDisk`), or `fuzz`.
const fuzzedRequests = 20_000;
const { values } = parseArgs({
  options: { seed: { type: 'string' }, rounds: { type: 'string' }, only: { type: 'string', default: '' } },
});
const seed = Number(values.seed ?? seedOfRun());
const totals = new Totals();

const isSelected = (name: string) => name.toLowerCase().includes(values.only.toLowerCase());
const selectedKinds = Object.entries(sessionKinds).map(([name, kind]) => ({
  ...kind,
  faults: isSelected(name) ? kind.faults : kind.faults.filter(isSelected),
}));
const names = selectedKinds.flatMap(({ faults }) => faults);
const isFuzzed = isSelected('fuzz');
if (names.length === 0 && !isFuzzed) throw new Error(`there is no such fault: ${values.only}`);
const rounds = Number(values.rounds ?? 3 * names.length);
console.log(`faults: ${rounds} rounds of ${names.length} faults, seed ${seed}`);

/** Yields the faults in random order, all equally often. */
function* shuffledForever(faults: readonly string[]): Generator<string> {
  const random = seededRandom(`${seed} order`);
  for (;;) yield* [...faults].sort(() => random() - 0.5);
}

// The kit builds the service under a lock on this server.
const server = await startTestPostgres();
try {
  for (const { faults, start: begin } of selectedKinds) {
    if (faults.length === 0) continue;
    const session = await begin(seed);
    if (!session) {
      totals.fail(`not tried, as it takes root and the right to mount: ${faults.join()}`);
      continue;
    }
    const order = shuffledForever(faults);
    const count = Math.ceil((rounds * faults.length) / names.length);
    try {
      for (let number = 0; number < count; number += 1) {
        const fault = order.next().value as string;
        console.log(totals.add(await session.round(fault, seed + number)));
      }
    } catch (error) {
      totals.fail(`the rounds were broken off: ${String(error)}`);
    }
    for (const problem of await session.end()) totals.fail(problem);
  }
  console.table(totals.table());
  if (isFuzzed) {
    const { faults, statuses } = await fuzz({ requests: fuzzedRequests, seed, checkpoints: 20 }, (line) =>
      console.log(line),
    );
    console.log(`fuzz: ${fuzzedRequests} requests, answers by status:`, statuses);
    for (const fault of faults) totals.fail(fault);
  }
  for (const problem of totals.problems) console.error(problem);
  console.log(totals.problems.length === 0 ? 'nothing was lost, doubled or left behind' : 'NOT WELL');
  process.exitCode = totals.problems.length > 0 ? 1 : 0;
} finally {
  await endServices('SIGKILL');
  await server.stop();
}
