import type pg from 'pg';

/** The facts by which a standby of the primary differs from a server with another history. */
export interface Lineage {
  /** The system, which physical copies share, and the name of the database. */
  system: string;
  isStandby: boolean;
  timeline: number;
  startedAt: string;
}

/**
 * Columns of a {@link Lineage}. Every role may read them, except the timeline that a WAL receiver follows, which is NULL without
 * `pg_read_all_stats`: the control file has the one of the last restart point, up to `checkpoint_timeout` ago. A standby never
 * goes back to an earlier timeline, so the latest of them counts. PostgreSQL refuses `pg_walfile_name` on a standby; with a constant
 * the planner would run it there.
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

/** Reads the lineage of a server. @param ms milliseconds that it has to answer */
export async function lineageOf(server: pg.Pool, ms: number): Promise<Lineage> {
  const statement = { text: `/* lineageOf */ SELECT ${lineageColumns}`, query_timeout: ms };
  const [lineage] = (await server.query<Lineage>(statement)).rows;
  if (!lineage) throw new Error('the server does not describe itself');
  return lineage;
}

/** Why nothing is read from a server, and how the log says it. */
export const objections = {
  away: 'does not answer',
  unknown: 'cannot be compared with the primary',
  system: 'has another database',
  not_standby: 'is not a standby',
  timeline: 'is on another timeline than the primary',
  primary: 'is the primary',
} as const;
export type Objection = keyof typeof objections;

/** Why a server is not a standby with the primary's history; undefined if it is one, as far as it can say. */
export function objectionTo(server: Lineage, primary: Lineage | undefined): Objection | undefined {
  if (!primary || primary.isStandby) return 'unknown';
  if (server.system !== primary.system) return 'system';
  if (!server.isStandby) return server.startedAt === primary.startedAt ? 'primary' : 'not_standby';
  return server.timeline === primary.timeline ? undefined : 'timeline';
}
