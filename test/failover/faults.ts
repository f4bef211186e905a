import { until } from '../kit/until.ts';
import type { DatabaseServer } from './database-server.ts';
import type { Installation } from './installation.ts';
import type { Writers } from './writers.ts';

export interface Fault {
  name: string;
  promotes: boolean;
  inject: (primary: DatabaseServer, standby: DatabaseServer) => Promise<unknown>;
  mend?: (primary: DatabaseServer, standby: DatabaseServer) => unknown;
}

const writes = 30;

export const faults: readonly Fault[] = [
  {
    name: 'PostgreSQL and Patroni of the primary killed',
    promotes: true,
    inject: (primary) => primary.kill(),
    mend: (primary) => primary.startPatroni(),
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
    mend: ({ machine }) => machine.signal('SIGCONT'),
  },
  {
    name: 'network of the primary cut',
    promotes: true,
    inject: ({ machine }) => machine.cut(),
    mend: ({ machine }) => machine.plug(),
  },
  {
    name: 'network of the standby cut',
    promotes: false,
    inject: (_primary, { machine }) => machine.cut(),
    mend: (_primary, { machine }) => machine.plug(),
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
  rejoinedMs: number;
}

/** Repairs the fault once writes are acknowledged again. Adds to `problems`. */
export async function happen(
  { name, promotes, inject, mend }: Fault,
  place: Installation,
  writers: Writers,
  problems: string[],
): Promise<Figures> {
  const primary = await place.primary();
  const standby = place.other(primary);
  const timeline = await place.timeline();
  await writers.until(writes);
  const begun = performance.now();
  await inject(primary, standby);
  if (promotes) await until(`${standby.name} is the primary`, standby.isPrimary);
  await writers.until(writes);
  const sessions = await place.sessions(primary);
  const mended = performance.now();
  await mend?.(primary, standby);
  await place.untilWhole();
  const rejoinedMs = performance.now() - mended;
  await writers.until(writes);
  await writers.pause();
  const promotions = (await place.timeline()) - timeline;
  if (promotions !== Number(promotes)) console.log(`${name}: ${promotions} promotions`);
  const isOver = promotes && promotions === 1;
  const since = (await place.sessions(primary)) - sessions;
  if (isOver && since > 0) problems.push(`${since} connections were led to the former primary`);
  return { pauseMs: Math.round(writers.longestPauseSince(begun)), rejoinedMs: Math.round(rejoinedMs) };
}
