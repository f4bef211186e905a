export type RunSql = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

export interface Effect {
  /** Serial number. Effects on one entity follow the order of their transactions. */
  number: number;
  transaction: string;
  id: string;
  /** `WRITTEN`: created or changed, also back to earlier values. `MOVED`: moved to another space. */
  kind: 'WRITTEN' | 'MOVED' | 'GONE';
  /** The mark after the effect, or the last one before a deletion. */
  mark: string;
  spaceId: string;
  /** Of a task, at its commit. `tags` has the tags of all members. */
  columns?: { title: string; completed: boolean; tags: string[] };
  /** Of a new comment, at its commit: users with an event for it, and users who should have one. */
  told?: { events: string[]; expected: string[] };
}

const atCommit = 'DEFERRABLE INITIALLY DEFERRED';
const marks = { tasks: 'due_date', projects: 'name', sections: 'name', tags: 'name', comments: 'text' };

/** Triggers write the effects at the end of the same transaction, so a rollback leaves none. */
const schemaSql = `
  CREATE SCHEMA load;
  CREATE TABLE load.effects (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
    id text NOT NULL,
    kind text NOT NULL,
    mark text NOT NULL,
    space_id text NOT NULL,
    columns jsonb,
    told jsonb
  );
  CREATE FUNCTION load.is_written(old jsonb, new jsonb, mark text) RETURNS boolean LANGUAGE sql AS $$
    SELECT old ->> mark IS DISTINCT FROM new ->> mark
      OR old - '{updated_at,sort_key}'::text[] = new - '{updated_at,sort_key}'::text[]
  $$;
  CREATE FUNCTION load.expected_events(comment jsonb) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT user_id || CASE WHEN is_mentioned THEN 'MENTIONED' ELSE 'COMMENTED' END
    FROM public.memberships JOIN public.tasks USING (space_id),
      LATERAL (SELECT comment ->> 'text' ~ ('@' || user_id || '\\M') AS is_mentioned) AS mention
    WHERE tasks.id = comment ->> 'task_id' AND user_id <> comment ->> 'author_id' AND (
      is_mentioned OR (
        user_id = ANY (assignee_ids || created_by_id)
        OR EXISTS (SELECT FROM public.comments WHERE task_id = tasks.id AND author_id = user_id)
      ) AND NOT EXISTS (SELECT FROM public.task_mutes WHERE task_id = tasks.id AND task_mutes.user_id = memberships.user_id)
    )
  $$;
  CREATE FUNCTION load.note() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    entity jsonb := to_jsonb(coalesce(NEW, OLD));
  BEGIN
    INSERT INTO load.effects (id, kind, mark, space_id, columns, told)
    VALUES (entity ->> 'id', TG_ARGV[0], coalesce(entity ->> TG_ARGV[1], ''), entity ->> 'space_id',
      CASE WHEN TG_TABLE_NAME = 'tasks' THEN jsonb_build_object(
        'title', entity -> 'title', 'completed', entity -> 'completed',
        'tags', ARRAY(SELECT tag_id FROM public.task_tags WHERE task_id = entity ->> 'id')
      ) END,
      CASE WHEN TG_TABLE_NAME = 'comments' AND TG_OP = 'INSERT' THEN jsonb_build_object(
        'events', ARRAY(SELECT user_id || reason FROM notification_events WHERE comment_id = entity ->> 'id' ORDER BY 1),
        'expected', ARRAY(SELECT load.expected_events(entity) ORDER BY 1)
      ) END);
    RETURN NULL;
  END $$;
  CREATE TABLE load.claims (
    number bigint PRIMARY KEY DEFAULT nextval(pg_get_serial_sequence('load.effects', 'number')),
    transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
    kind text NOT NULL,
    fence bigint NOT NULL,
    task_id text NOT NULL,
    user_id text NOT NULL
  );
  CREATE FUNCTION load.note_claim() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    claim public.claims := coalesce(NEW, OLD);
  BEGIN
    INSERT INTO load.claims (kind, fence, task_id, user_id)
    VALUES (TG_ARGV[0], claim.fence, claim.task_id, claim.user_id);
    RETURN NULL;
  END $$;
`;

/** In one order with the effects: an end waits for writes under the fence. */
const claimTriggers = `
  CREATE TRIGGER load_begun AFTER INSERT ON claims FOR EACH ROW EXECUTE FUNCTION load.note_claim('BEGUN');
  CREATE TRIGGER load_ended AFTER DELETE ON claims FOR EACH ROW EXECUTE FUNCTION load.note_claim('ENDED');`;

/** A later version of the service drops them at its start. It must have them among its functions. */
export const effectTriggers = Object.entries(marks)
  .map(
    ([table, mark]) => `
      CREATE CONSTRAINT TRIGGER load_made AFTER INSERT ON ${table} ${atCommit}
        FOR EACH ROW EXECUTE FUNCTION load.note('WRITTEN', '${mark}');
      CREATE CONSTRAINT TRIGGER load_written AFTER UPDATE OF ${mark} ON ${table} ${atCommit}
        FOR EACH ROW WHEN (load.is_written(to_jsonb(OLD), to_jsonb(NEW), '${mark}'))
        EXECUTE FUNCTION load.note('WRITTEN', '${mark}');
      CREATE CONSTRAINT TRIGGER load_moved AFTER UPDATE OF space_id ON ${table} ${atCommit}
        FOR EACH ROW WHEN (NEW.space_id <> OLD.space_id) EXECUTE FUNCTION load.note('MOVED', '${mark}');
      CREATE CONSTRAINT TRIGGER load_gone AFTER DELETE ON ${table} ${atCommit}
        FOR EACH ROW EXECUTE FUNCTION load.note('GONE', '${mark}');`,
  )
  .join('')
  .concat(claimTriggers);

const newEffects = `
  SELECT number::float8, transaction::text, id, kind, mark, space_id AS "spaceId", columns, told
  FROM load.effects WHERE number > $1 ORDER BY number`;

/** Effects, recorded by the database itself. */
export class Effects {
  readonly #sql: RunSql;
  #last = 0;
  readonly #byTransaction = new Map<string, Effect[]>();
  readonly #byMark = new Map<string, Effect[]>();
  /** First effect that gave an entity a mark. */
  readonly #versions = new Map<string, Map<string, number>>();
  /** Last effect that moved an entity to another space. */
  readonly #departures = new Map<string, number>();
  readonly #deleted = new Set<string>();
  readonly #spaces = new Map<string, string>();

  private constructor(sql: RunSql) {
    this.#sql = sql;
  }

  static async start(sql: RunSql): Promise<Effects> {
    await sql(`${schemaSql}${effectTriggers}`);
    return new Effects(sql);
  }

  async read(): Promise<void> {
    for (const effect of await this.#sql<Effect>(newEffects, [this.#last])) this.add(effect);
  }

  add(effect: Effect): void {
    const { number, transaction, id, kind, mark, spaceId } = effect;
    this.#last = number;
    this.#byTransaction.set(transaction, [...(this.#byTransaction.get(transaction) ?? []), effect]);
    if (kind === 'GONE') this.#deleted.add(id);
    if (kind === 'WRITTEN') {
      this.#byMark.set(mark, [...(this.#byMark.get(mark) ?? []), effect]);
      const versions = this.#versions.get(id) ?? new Map<string, number>();
      if (!versions.has(mark)) versions.set(mark, number);
      this.#versions.set(id, versions);
    }
    if ((this.#spaces.get(id) ?? spaceId) !== spaceId) this.#departures.set(id, number);
    this.#spaces.set(id, spaceId);
  }

  ofTransaction(transaction: string): readonly Effect[] {
    return this.#byTransaction.get(transaction) ?? [];
  }

  withMark(mark: string): readonly Effect[] {
    return this.#byMark.get(mark) ?? [];
  }

  isDeleted(id: string): boolean {
    return this.#deleted.has(id);
  }

  /** Number of the effect that set the mark. */
  version(id: string, mark: string): number | undefined {
    return this.#versions.get(id)?.get(mark);
  }

  /** Whether the entity has left its space since. */
  hasLeftSince({ id, number }: Effect): boolean {
    return this.#deleted.has(id) || (this.#departures.get(id) ?? 0) > number;
  }
}
