import { until } from '../kit/until.ts';
import type { DatabaseServer } from './database-server.ts';
import type { Installation } from './installation.ts';
import type { Writers } from './writers.ts';

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

export interface Figures {
  /** The longest time without an acknowledged write. */
  pauseMs: number;
  /** Time from the repair until the former primary, or the standby, has caught up. */
  rejoinMs: number;
}

/** Repairs the fault once writes are acknowledged again. Adds to `problems`. */
export async function runFault(
  { name, promotes, inject, repair }: Fault,
  installation: Installation,
  writers: Writers,
  problems: string[],
): Promise<Figures> {
  const primary = await installation.primary();
  const standby = installation.other(primary);
  const timeline = await installation.timeline();
  await writers.until(writesPerPhase);
  const startedAt = performance.now();
  await inject(primary, standby);
  if (promotes) await until(`${standby.name} is the primary`, standby.isPrimary);
  await writers.until(writesPerPhase);
  const sessions = await installation.sessions(primary);
  const repairedAt = performance.now();
  await repair?.(primary, standby);
  await installation.untilReplicating();
  const rejoinMs = performance.now() - repairedAt;
  await writers.until(writesPerPhase);
  await writers.pause();
  const promotions = (await installation.timeline()) - timeline;
  if (promotions !== Number(promotes)) console.log(`${name}: ${promotions} promotions`);
  const isOver = promotes && promotions === 1;
  const newSessions = (await installation.sessions(primary)) - sessions;
  if (isOver && newSessions > 0) problems.push(`${newSessions} connections were led to the former primary`);
  return { pauseMs: Math.round(writers.longestPauseSince(startedAt)), rejoinMs: Math.round(rejoinMs) };
}
