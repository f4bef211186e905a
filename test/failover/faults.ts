import { until } from '../kit/until.ts';
import type { Run } from '../load/run.ts';
import type { DatabaseServer } from './database-server.ts';
import type { Installation } from './installation.ts';

export interface Fault {
  name: string;
  promotes: boolean;
  inject: (primary: DatabaseServer, standby: DatabaseServer) => Promise<unknown>;
  repair?: (primary: DatabaseServer, standby: DatabaseServer) => unknown;
}

const writesPerPhase = 30;

export const faults: readonly Fault[] = [
  {
    name: 'PostgreSQL and Patroni of the primary killed',
    promotes: true,
    inject: (primary) => primary.kill(),
    repair: (primary) => primary.startPatroni(),
  },
  {
    name: 'PostgreSQL of the primary killed',
    promotes: true,
    inject: ({ machine }) => machine.signal('SIGKILL', ['postgres']),
  },
  {
    name: 'machine of the primary stopped (SIGSTOP)',
    promotes: true,
    inject: ({ machine }) => machine.signal('SIGSTOP'),
    repair: ({ machine }) => machine.signal('SIGCONT'),
  },
  {
    name: 'network of the primary cut',
    promotes: true,
    inject: ({ machine }) => machine.unplug(),
    repair: ({ machine }) => machine.plug(),
  },
  {
    name: 'network of the standby cut',
    promotes: false,
    inject: (_primary, { machine }) => machine.unplug(),
    repair: (_primary, { machine }) => machine.plug(),
  },
  {
    name: 'switched over by hand',
    promotes: true,
    inject: (primary, standby) =>
      primary.command('POST', '/switchover', { leader: primary.name, candidate: standby.name }),
  },
];

export interface Round {
  fault: string;
  /** The longest time without an acknowledged write. */
  pauseMs: number;
  /** Time from the repair until the former primary, or the standby, has caught up. */
  rejoinMs: number;
  acknowledged: number;
  retries: number;
  replayed: number;
  delivered: number;
  problems: string[];
}

/** Injects the fault under load, and repairs it once writes are acknowledged again. */
export async function runRound(fault: Fault, installation: Installation, run: Run): Promise<Round> {
  const { load } = run;
  const before = run.figures;
  const untilWritten = () => load.until(['acknowledged'], writesPerPhase);
  load.start();
  const { name, promotes, inject, repair } = fault;
  const primary = await installation.primary();
  const standby = installation.other(primary);
  const timeline = await installation.timeline();
  await untilWritten();
  const startedAt = performance.now();
  await inject(primary, standby);
  if (promotes) await until(`${standby.name} is the primary`, standby.isPrimary);
  await untilWritten();
  const sessions = await installation.sessions(primary);
  const repairedAt = performance.now();
  await repair?.(primary, standby);
  await installation.untilReplicating();
  const rejoinMs = performance.now() - repairedAt;
  await untilWritten();
  await load.pause();
  const problems = await run.checker.check();
  const promotions = (await installation.timeline()) - timeline;
  if (promotions !== Number(promotes)) console.log(`${name}: ${promotions} promotions`);
  const isOver = promotes && promotions === 1;
  const newSessions = (await installation.sessions(primary)) - sessions;
  if (isOver && newSessions > 0) problems.push(`${newSessions} connections were led to the former primary`);
  await installation.untilEqual();
  problems.push(...installation.crashes.map((words) => `a gateway has ended by itself: ${words}`));
  const now = run.figures;
  return {
    fault: name,
    pauseMs: Math.round(load.longestPauseSince(startedAt)),
    rejoinMs: Math.round(rejoinMs),
    acknowledged: now.acknowledged - before.acknowledged,
    retries: now.retries - before.retries,
    replayed: now.replayed - before.replayed,
    delivered: now.changes + now.batches - before.changes - before.batches,
    problems,
  };
}
