import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { startTestPostgres } from '../kit/postgres.ts';
import { endServices } from '../kit/process.ts';
import { seedOfRun } from '../kit/random.ts';
import { Run } from '../load/run.ts';
import { faults, type Round, runRound } from './faults.ts';
import { requirePrograms } from './files.ts';
import { Installation } from './installation.ts';
import { loseHistory, lostHistory } from './lost-history.ts';
import { makeNetwork } from './machine.ts';

// npm run failover -- [--only NAME] [--rounds N] [--seed N]: prints a line per round and a table. The exit code is 0 if all checks passed. NAME
// selects faults by a part of their name. Needs root, and runs in its own network and process namespaces.

/** Promised milliseconds until writes are acknowledged again. A late round is repeated, because the machine may have been busy. */
const maxPauseMs = 10_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});

const insideFlag = 'inside';
if (positionals[0] !== insideFlag) {
  requirePrograms();
  const namespaces = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  // The shell reaps processes whose parent was killed.
  const shell = ['bash', '-c', '"$@"; exit $?', '-'];
  const self = [process.execPath, ...process.execArgv, import.meta.filename, insideFlag, ...process.argv.slice(2)];
  const command = ['--pdeathsig', 'KILL', 'unshare', ...namespaces, ...shell, ...self];
  const { status } = spawnSync('setpriv', command, { stdio: 'inherit' });
  process.exit(status ?? 1);
}

const seed = Number(values.seed ?? seedOfRun());
const isSelected = (name: string) => name.toLowerCase().includes(values.only.toLowerCase());
const selectedFaults = faults.filter(({ name }) => isSelected(name));
if (selectedFaults.length === 0 && !isSelected(lostHistory)) throw new Error(`there is no such fault: ${values.only}`);
console.log(`failover: ${values.rounds} rounds of ${selectedFaults.length} faults, seed ${seed}`);

const rounds: Round[] = [];
const problems: string[] = [];

async function runRounds(installation: Installation): Promise<void> {
  const run = await Run.start(installation, { seed, isKeyed: true });
  for (let number = 0; number < Number(values.rounds); number += 1) {
    for (const fault of selectedFaults) {
      for (let isRepeated = false; ; isRepeated = true) {
        const round = await runRound(fault, installation, run);
        rounds.push(round);
        console.log(JSON.stringify(round));
        problems.push(...round.problems.map((problem) => `${fault.name}: ${problem}`));
        if (round.pauseMs <= maxPauseMs) break;
        if (isRepeated) problems.push(`${fault.name}: no write was acknowledged for ${round.pauseMs} ms, twice`);
        if (isRepeated) break;
      }
    }
  }
  await run.end();
  if (!isSelected(lostHistory)) return;
  const found = await loseHistory(installation);
  console.log(`${lostHistory}: ${found.length === 0 ? 'well' : 'PROBLEMS'}`);
  problems.push(...found);
}

await makeNetwork();
// The kit builds the service under a lock on this server.
const server = await startTestPostgres();
const installation = await Installation.start();
try {
  await runRounds(installation);
  console.table(rounds.map(({ problems: found, ...round }) => ({ ...round, problems: found.length })));
} catch (error) {
  console.error(error, await installation.lastLogLines());
  problems.push('the rounds were broken off');
} finally {
  problems.push(...(await installation.stop()));
  await endServices('SIGKILL');
  await server.stop();
}
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? 'nothing was lost or doubled, and both servers have the same' : 'NOT WELL');
process.exitCode = problems.length > 0 ? 1 : 0;
