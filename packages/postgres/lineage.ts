import type pg from 'pg';

/** Tells a standby of the primary from a server with another history. */
export interface Lineage {
  /** System identifier, shared by physical copies, and database name. */
  system: string;
  isStandby: boolean;
  timeline: number;
  startedAt: string;
}

/**
 * Every role can read these. Only the WAL receiver's timeline is NULL without `pg_read_all_stats`. The control file has
 * the timeline of the last restart point, up to `checkpoint_timeout` ago. A standby never returns to an earlier
 * timeline, so the latest counts. `pg_walfile_name` fails on a standby; with a constant the planner would run it there.
 */
export const lineageColumns = `
  (SELECT system_identifier FROM pg_control_system()) || ' ' || current_database() AS system,
  pg_is_in_recovery() AS "isStandby",
  CASE WHEN pg_is_in_recovery() THEN greatest(
    (SELECT timeline_id FROM pg_control_checkpoint()),
    (SELECT min_recovery_end_timeline FROM pg_control_recovery()),
    (SELECT received_tli FROM pg_stat_wal_receiver)
  ) ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer END AS timeline,
  extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt"`;

export async function lineageOf(server: pg.Pool, ms: number): Promise<Lineage> {
  const statement = { text: `/* lineageOf */ SELECT ${lineageColumns}`, query_timeout: ms };
  const [lineage] = (await server.query<Lineage>(statement)).rows;
  if (!lineage) throw new Error('the server does not describe itself');
  return lineage;
}

export const objections = {
  away: 'does not answer',
  unknown: 'cannot be compared with the primary',
  system: 'has another database',
  not_standby: 'is not a standby',
  timeline: 'is on another timeline than the primary',
  primary: 'is the primary',
} as const;
export type Objection = keyof typeof objections;

/** Undefined if the server seems to be a standby with the primary's history. */
export function objectionTo(server: Lineage, primary: Lineage | undefined): Objection | undefined {
  if (!primary || primary.isStandby) return 'unknown';
  if (server.system !== primary.system) return 'system';
  if (!server.isStandby) return server.startedAt === primary.startedAt ? 'primary' : 'not_standby';
  return server.timeline === primary.timeline ? undefined : 'timeline';
}
