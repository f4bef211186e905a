import { sqlAt } from '../kit/postgres.ts';

/** Logs each title that a task gets. @returns a function that counts them by title */
export async function noteTitles(databaseUrl: string): Promise<() => Promise<Map<string, number>>> {
  await sqlAt(databaseUrl, 'CREATE TABLE noted_titles (title text)');
  await sqlAt(
    databaseUrl,
    `CREATE FUNCTION note_title() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN INSERT INTO public.noted_titles VALUES (NEW.title); RETURN NULL; END $$`,
  );
  await sqlAt(databaseUrl, 'CREATE TRIGGER note_new AFTER INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION note_title()');
  await sqlAt(
    databaseUrl,
    `CREATE TRIGGER note_changed AFTER UPDATE ON tasks FOR EACH ROW
     WHEN (NEW.title IS DISTINCT FROM OLD.title) EXECUTE FUNCTION note_title()`,
  );
  return async () => {
    const statement = 'SELECT title, count(*)::int AS times FROM noted_titles GROUP BY title';
    const rows = await sqlAt<{ title: string; times: number }>(databaseUrl, statement);
    return new Map(rows.map(({ title, times }) => [title, times]));
  };
}
