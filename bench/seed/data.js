import pg from 'pg';

/**
 * @typedef {object} Account
 * @property {number} number identifies the account and its rows
 * @property {number} top top-level tasks
 * @property {number} middle subtasks, one below each of the first top-level tasks
 * @property {number} bottom subtasks of subtasks
 */

/** @type {(number: number) => Account} 100 tasks on three levels */
export const standardAccount = (number) => ({ number, top: 60, middle: 30, bottom: 10 });

/** @type {(number: number, tasks: number) => Account} the same proportions */
export const large = (number, tasks) => ({ number, top: tasks * 0.6, middle: tasks * 0.3, bottom: tasks * 0.1 });

/** Accounts that write. */
export const firstWriter = 11;
export const writers = 50;
/** Accounts with 1,000, 10,000 and 100,000 tasks. */
export const bulkAccount = 101;
export const listAccount = 201;
export const searchAccount = 202;

const hex = (/** @type {number} */ number, /** @type {number} */ length) => number.toString(16).padStart(length, '0');

/** Ids in the service's format: a prefix and 26 sortable characters, here a counter. */
export const userId = (/** @type {number} */ account) => `user_01${hex(account, 24)}`;
export const inboxId = (/** @type {number} */ account) => `proj_01${hex(account, 23)}0`;
export const projectId = (/** @type {number} */ account) => `proj_01${hex(account, 23)}1`;
export const taskId = (/** @type {number} */ account, /** @type {number} */ task) =>
  `task_01${hex(account, 12)}${hex(task, 12)}`;

/** The same id in SQL. */
const taskIdSql = (/** @type {string} */ account, /** @type {string} */ task) =>
  `'task_01' || lpad(to_hex(${account}), 12, '0') || lpad(to_hex(${task}), 12, '0')`;
const userIdSql = `'user_01' || lpad(to_hex(a), 24, '0')`;
const projectIdSql = (/** @type {string} */ last) => `'proj_01' || lpad(to_hex(a), 23, '0') || ${last}`;
const sectionIdSql = `'sect_01' || lpad(to_hex(a), 24, '0')`;
const tagIdSql = (/** @type {string} */ n) => `'tag_01' || lpad(to_hex(a), 23, '0') || ${n}::text`;

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const digit = (/** @type {number} */ place) => `substr('${digits}', (n / ${62 ** place} % 62)::int + 1, 1)`;
/** The nth sort key of a list, like four-character keys of fractional-indexing. */
const sortKeySql = `'c' || ${digit(2)} || ${digit(1)} || ${digit(0)}`;

const words = ['invoice', 'garden', 'meeting', 'ticket', 'report', 'kitchen', 'budget', 'travel', 'review', 'library'];
const word = (/** @type {string} */ seed) =>
  `(ARRAY[${words.map((each) => `'${each}'`).join(', ')}])[1 + (${seed}) % ${words.length}]`;

const tagsPerAccount = 6;

/**
 * Creates accounts, each with an inbox, a project with a section, six tags, and tasks with one or two tags. Deterministic.
 * @param {pg.Client} client
 * @param {Account} first model of all accounts
 * @param {number} count accounts, numbered from the first
 */
export async function seedAccounts(client, { number: from, top, middle, bottom }, count = 1) {
  const accounts = `generate_series(${from}, ${from + count - 1}) AS a`;
  const tasks = top + middle + bottom;
  await client.query('BEGIN');
  // The rows look like the result of many writes whose log entries have expired.
  await client.query(`SET LOCAL session_replication_role = 'replica'`);
  await client.query(`
    INSERT INTO spaces (id, kind) SELECT ${userIdSql}, 'PERSONAL' FROM ${accounts};
    INSERT INTO related_revisions (space_id) SELECT ${userIdSql} FROM ${accounts} ON CONFLICT DO NOTHING;
    INSERT INTO users (id, email, name) SELECT ${userIdSql}, 'user' || a || '@example.com', 'User ' || a FROM ${accounts};
    INSERT INTO preferences (user_id) SELECT ${userIdSql} FROM ${accounts};
    INSERT INTO memberships (space_id, user_id) SELECT ${userIdSql}, ${userIdSql} FROM ${accounts};
    INSERT INTO projects (id, space_id, name, slug, is_default)
      SELECT ${projectIdSql("'0'")}, ${userIdSql}, 'Inbox', 'inbox-' || a, true FROM ${accounts};
    INSERT INTO projects (id, space_id, name, slug, is_default)
      SELECT ${projectIdSql("'1'")}, ${userIdSql}, 'Home', 'home-' || a, false FROM ${accounts};
    INSERT INTO sections (id, project_id, space_id, name, sort_key)
      SELECT ${sectionIdSql}, ${projectIdSql("'1'")}, ${userIdSql}, 'Soon', 'a0' FROM ${accounts};
    INSERT INTO tags (id, space_id, name, color)
      SELECT ${tagIdSql('n')}, ${userIdSql}, ${word('n')},
        (ARRAY['BLUE', 'RED', 'GREEN', 'YELLOW', 'PURPLE', 'ORANGE'])[1 + n]::"TagColor"
      FROM ${accounts}, generate_series(0, ${tagsPerAccount - 1}) AS n;
  `);
  // The root of task n. Every second tree is in the project, the others in the inbox.
  await client.query(`
    INSERT INTO tasks (id, space_id, project_id, section_id, parent_id, title, description, priority, due_date,
      due_time, is_all_day, completed, completed_at, color, sort_key, reminder)
    SELECT ${taskIdSql('a', 'n')}, ${userIdSql},
      CASE WHEN root % 2 = 0 THEN ${projectIdSql("'0'")} ELSE ${projectIdSql("'1'")} END,
      CASE WHEN root % 4 = 1 THEN ${sectionIdSql} END,
      CASE WHEN parent IS NOT NULL THEN ${taskIdSql('a', 'parent')} END,
      initcap(${word('n + a')}) || ' ' || ${word('n / 10 + a')} || ' ' || ${word('n / 100')} || ' ' || n,
      CASE WHEN n % 3 = 0 THEN 'Ask about the ' || ${word('n / 3')} || ' before the ' || ${word('n / 7')} || ' is due.' END,
      CASE n % 4 WHEN 0 THEN 'HIGH' WHEN 1 THEN 'MEDIUM' WHEN 2 THEN 'LOW' END::"Priority",
      CASE WHEN n % 2 = 0 THEN date '2026-12-01' + (n % 60)::int END,
      CASE WHEN n % 10 = 0 THEN timestamptz '2026-12-01 09:30:00Z' + n % 60 * interval '1 day' END,
      n % 10 <> 0, n % 5 = 4,
      CASE WHEN n % 5 = 4 THEN timestamptz '2026-11-01 12:00:00.250Z' + n * interval '1 second' END,
      CASE WHEN n % 6 = 0 THEN '#3366ff' END, ${sortKeySql}, n % 10 = 0
    FROM ${accounts}, generate_series(0, ${tasks - 1}) AS n,
      LATERAL (SELECT CASE WHEN n >= ${top + middle} THEN n - ${middle} WHEN n >= ${top} THEN n - ${top} END) AS p (parent),
      LATERAL (SELECT CASE WHEN parent >= ${top} THEN parent - ${top} ELSE coalesce(parent, n) END) AS r (root);
    INSERT INTO task_tags (task_id, tag_id, space_id)
      SELECT ${taskIdSql('a', 'n')}, ${tagIdSql(`((n + i) % ${tagsPerAccount})`)}, ${userIdSql}
      FROM ${accounts}, generate_series(0, ${tasks - 1}) AS n, generate_series(0, (n % 2)::int) AS i;
  `);
  // The triggers, which are disabled here, would index these words.
  await client.query(`
    INSERT INTO task_words (space_id, word)
    SELECT DISTINCT space_id, lexeme FROM tasks, unnest(search)
    WHERE space_id IN (SELECT ${userIdSql} FROM ${accounts})
    ORDER BY 1, 2;
  `);
  await client.query('COMMIT');
}

/**
 * Creates many standard accounts in several transactions.
 * @param {pg.Client} client
 * @param {number} accounts
 * @param {number} tasks in total
 * @param {(count: number) => void} onProgress receives the number of accounts so far
 */
export async function seedMany(client, accounts, tasks, onProgress) {
  const each = large(1, Math.round(tasks / accounts / 10) * 10);
  for (let count = 0; count < accounts;) {
    const part = Math.min(500, accounts - count);
    await seedAccounts(client, { ...each, number: count + 1 }, part);
    count += part;
    onProgress(count);
  }
}

/**
 * Leaves out empty tables. With statistics of no rows, cached plans scan a table while it fills: a comment would take twice the CPU.
 * @param {pg.Client} client
 */
export async function vacuumAnalyze(client) {
  const { rows } = await client.query(
    'SELECT relid::regclass::text AS name FROM pg_stat_user_tables WHERE pg_relation_size(relid) > 0',
  );
  await client.query(`VACUUM ANALYZE ${rows.map(({ name }) => name).join(', ')}`);
}

/**
 * Fills the history: creates and deletes tasks, a thousand at a time.
 * @param {pg.Client} client
 * @param {number} account
 * @param {number} count
 */
export async function deleteTasks(client, account, count) {
  for (let from = 0; from < count; from += 1000) {
    await client.query(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key, created_at, updated_at)
      SELECT 'task_02' || lpad(to_hex(n), 24, '0'), $1, $2, ${word('n')} || ' deleted ' || n, 'd' || n, now(), now()
      FROM generate_series($3::int, $3 + 999) AS n`,
      [userId(account), projectId(account), from],
    );
    await client.query(`DELETE FROM tasks WHERE space_id = $1 AND id LIKE 'task\\_02%'`, [userId(account)]);
  }
}
