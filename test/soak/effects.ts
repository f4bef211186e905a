import type { RunSql } from './checks.ts';

/** What a committed transaction did to a task, project, section or tag. */
export interface Effect {
  /** Counts them; those of one entity in the order of their transactions. */
  number: number;
  transaction: string;
  id: string;
  /** `WRITTEN`: the mark was, or again all that was as it is; `MOVED`: to another space. */
  kind: 'WRITTEN' | 'MOVED' | 'GONE';
  /** The mark that it has since, or had. */
  mark: string;
  spaceId: string;
}

const marks = { tasks: 'due_date', projects: 'name', sections: 'name', tags: 'name' };

/** Written by triggers, in the transaction of what they record: what is rolled back leaves none. */
const notebook = `
  CREATE SCHEMA soak;
  CREATE TABLE soak.effects (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
    id text NOT NULL,
    kind text NOT NULL,
    mark text NOT NULL,
    space_id text NOT NULL
  );
  CREATE FUNCTION soak.is_written(old jsonb, new jsonb, mark text) RETURNS boolean LANGUAGE sql AS $$
    SELECT old ->> mark IS DISTINCT FROM new ->> mark
      OR old - '{updated_at,sort_key}'::text[] = new - '{updated_at,sort_key}'::text[]
  $$;
  CREATE FUNCTION soak.note() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    entity jsonb := to_jsonb(coalesce(NEW, OLD));
  BEGIN
    INSERT INTO soak.effects (id, kind, mark, space_id)
    VALUES (entity ->> 'id', TG_ARGV[0], coalesce(entity ->> TG_ARGV[1], ''), entity ->> 'space_id');
    RETURN NULL;
  END $$;
  ${Object.entries(marks)
    .map(
      ([table, mark]) => `
      CREATE TRIGGER soak_made AFTER INSERT ON ${table}
        FOR EACH ROW EXECUTE FUNCTION soak.note('WRITTEN', '${mark}');
      CREATE TRIGGER soak_written AFTER UPDATE OF ${mark} ON ${table}
        FOR EACH ROW WHEN (soak.is_written(to_jsonb(OLD), to_jsonb(NEW), '${mark}'))
        EXECUTE FUNCTION soak.note('WRITTEN', '${mark}');
      CREATE TRIGGER soak_moved AFTER UPDATE OF space_id ON ${table}
        FOR EACH ROW WHEN (NEW.space_id <> OLD.space_id) EXECUTE FUNCTION soak.note('MOVED', '${mark}');
      CREATE TRIGGER soak_gone AFTER DELETE ON ${table}
        FOR EACH ROW EXECUTE FUNCTION soak.note('GONE', '${mark}');`,
    )
    .join('')}`;

const effectsBeyond = `
  SELECT number::float8, transaction::text, id, kind, mark, space_id AS "spaceId"
  FROM soak.effects WHERE number > $1 ORDER BY number`;

/** All that was committed, as the database itself has noted it. */
export class Effects {
  readonly #sql: RunSql;
  #last = 0;
  readonly #byTransaction = new Map<string, Effect[]>();
  readonly #byMark = new Map<string, Effect[]>();
  /** For each entity, the first effect that gave it a mark. */
  readonly #versions = new Map<string, Map<string, number>>();
  /** For each entity, the last effect by which it went to another space. */
  readonly #departures = new Map<string, number>();
  readonly #deleted = new Set<string>();
  readonly #spaces = new Map<string, string>();

  private constructor(sql: RunSql) {
    this.#sql = sql;
  }

  /** To be called before anything is written. */
  static async begin(sql: RunSql): Promise<Effects> {
    await sql(notebook);
    return new Effects(sql);
  }

  /** Reads what has been added. */
  async read(): Promise<void> {
    for (const effect of await this.#sql<Effect>(effectsBeyond, [this.#last])) this.add(effect);
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

  /** Those of a transaction. */
  of(transaction: string): readonly Effect[] {
    return this.#byTransaction.get(transaction) ?? [];
  }

  /** Those that left a mark; of a write that was done, all of one transaction. */
  marked(mark: string): readonly Effect[] {
    return this.#byMark.get(mark) ?? [];
  }

  /** Whether it was deleted. */
  isDeleted(id: string): boolean {
    return this.#deleted.has(id);
  }

  /** Number of the effect since which an entity had a mark; undefined: it never had it. */
  version(id: string, mark: string): number | undefined {
    return this.#versions.get(id)?.get(mark);
  }

  /** Whether it has gone, be it to another space, since that effect. */
  hasGoneSince({ id, number }: Effect): boolean {
    return this.#deleted.has(id) || (this.#departures.get(id) ?? 0) > number;
  }
}
