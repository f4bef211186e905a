import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { makeWorkspace } from '../kit/make.ts';
import { nodesOf, type PlanNode } from '../kit/plans.ts';
import { type Service, startService } from '../kit/service.ts';
import { recordStatements, isRead, type Statement } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';

/** Tables that grow with the number of users, so reads need an index. */
const large = ['tasks', 'sections', 'projects', 'tags', 'task_tags', 'task_words', 'changes'];

const scannedTables = (plan: PlanNode) =>
  nodesOf(plan)
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .map((node) => node['Relation Name'] ?? '')
    .filter((table) => large.includes(table));

describe('reads use indexes, among 20,000 tasks of 200 accounts', () => {
  let service: Service;
  let client: pg.Client;
  let user: User;
  const knownIds = { project: '', section: '', task: '', tag: '', other: '', cursor: '' };

  beforeAll(async () => {
    service = await startService();
    user = await signUp(service);
    const ben = await signUp(service);
    const workspace = await makeWorkspace(ben, user);
    client = new pg.Client({
      connectionString: service.databaseUrl,
      // The settings of the service's connections.
      options: '-c pg_trgm.word_similarity_threshold=0.3 -c TimeZone=UTC -c jit=off -c random_page_cost=1.1',
    });
    await client.connect();
    const spaces = [user.id, ben.id, workspace.id];
    await client.query(
      `WITH space AS (INSERT INTO spaces (id, kind) SELECT 'user_' || n, 'PERSONAL' FROM generate_series(4, 200) n RETURNING id)
       INSERT INTO projects (id, space_id, name, slug, is_default) SELECT 'proj_' || id, id, 'Inbox', 'inbox', true FROM space`,
    );
    await client.query(
      `WITH space AS (
         SELECT id, row_number() OVER (ORDER BY id = ANY ($1) DESC, id) AS n FROM spaces
       ), project AS (
         INSERT INTO projects (id, space_id, name, slug)
         SELECT format('proj_%s', lpad((n * 10 + p)::text, 26, '0')), space.id, 'Project ' || p, 'project-' || p
         FROM space, generate_series(1, 5) p RETURNING id, space_id
       ), section AS (
         INSERT INTO sections (id, project_id, space_id, name, sort_key)
         SELECT format('sect_%s', right(project.id, 25) || s), project.id, space_id, 'Section ' || s, 'a' || s
         FROM project, generate_series(1, 4) s RETURNING id, project_id, space_id
       ), tag AS (
         INSERT INTO tags (id, space_id, name, color)
         SELECT format('tag_%s', lpad((n * 100 + t)::text, 26, '0')), space.id, 'Tag ' || t, 'BLUE'
         FROM space, generate_series(1, 10) t WHERE space.id LIKE 'user%' RETURNING id, space_id
       ), task AS (
         INSERT INTO tasks (id, space_id, project_id, section_id, parent_id, title, description, priority, due_date,
           completed, completed_at, sort_key, created_at)
         SELECT prefix || n, space_id, project_id, section.id, CASE WHEN n % 3 <> 1 THEN prefix || n - 1 END,
           (ARRAY['Write the report', 'Water the garden', 'Call the bank'])[1 + n % 3] || ' ' || n,
           CASE WHEN n % 2 = 0 THEN 'Before the end of the month' END,
           CASE n % 3 WHEN 0 THEN 'HIGH'::"Priority" END, CASE WHEN n % 2 = 1 THEN date '2026-12-01' + n END,
           n % 4 = 0, CASE WHEN n % 4 = 0 THEN now() END, 'a' || n, now() - n * interval '1 hour'
         FROM section, format('task_%s', right(section.id, 25)) AS prefix, generate_series(1, 5) n
         RETURNING id, space_id
       )
       INSERT INTO task_tags (task_id, tag_id, space_id)
       SELECT task.id, tag.id, tag.space_id FROM task JOIN tag ON tag.space_id = task.space_id
       WHERE right(tag.id, 1) = right(task.id, 1)`,
      [spaces],
    );
    // One log entry for each task, as from separate requests.
    await client.query(
      `WITH logged AS (DELETE FROM changes RETURNING *)
       INSERT INTO changes (space_id, revision, transaction_id, operation_id, type, kind, entity_ids, entity_count, fields, project_id, history_nonce, period)
       SELECT space_id, revision - entity_count + n, row_number() OVER (), operation_id, type, kind, ARRAY[id], 1, fields, project_id, history_nonce, period
       FROM logged, unnest(entity_ids) WITH ORDINALITY AS task (id, n)`,
    );
    await client.query('VACUUM ANALYZE');
    expect(await service.sql('SELECT count(*)::int AS tasks FROM tasks')).toEqual([{ tasks: 20_000 }]);
    const [row] = await service.sql<typeof knownIds>(
      `SELECT tasks.id AS task, tasks.project_id AS project, tasks.section_id AS section, tag_id AS tag,
         (SELECT id FROM tasks WHERE space_id = $2 LIMIT 1) AS other
       FROM tasks JOIN task_tags ON task_tags.task_id = tasks.id WHERE tasks.space_id = $1 LIMIT 1`,
      [user.id, workspace.id],
    );
    Object.assign(knownIds, row, { cursor: (await user.get<{ cursor: string }>('/api/v2/changes')).body.cursor });
    await service.sql('UPDATE tasks SET reminder = true WHERE id = ANY ($1)', [[knownIds.task, knownIds.other]]);
  });
  afterAll(async () => {
    await client.end();
    await service.close();
  });

  /** The plan for these values, and the generic plan that PostgreSQL may use after some calls. */
  async function plansOf({ sql, values }: Statement): Promise<PlanNode[]> {
    type ExplainedRow = { 'QUERY PLAN': [{ Plan: PlanNode }] };
    const own = await client.query<ExplainedRow>(`EXPLAIN (FORMAT JSON) ${sql}`, values);
    const generic = await client.query<ExplainedRow>(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${sql}`);
    return [own, generic].flatMap(({ rows }) => rows.map((row) => row['QUERY PLAN'][0].Plan));
  }

  async function expectIndexes(request: () => Promise<unknown>) {
    const { statements } = await recordStatements(request);
    const reads = statements.filter((statement) => isRead(statement) && statement.purpose !== 'background');
    // One belongs to the session.
    expect(reads.length).toBeGreaterThan(1);
    for (const read of reads) {
      const plans = await plansOf(read);
      expect(plans).toHaveLength(2);
      for (const plan of plans) {
        const tables = scannedTables(plan);
        expect({ tables, ...(tables.length > 0 && { sql: read.sql, plan }) }).toEqual({ tables: [] });
      }
    }
  }

  test.each([
    '/api/v2/todo',
    '/api/v2/todo?completed=false',
    '/api/v2/todo?completed=true',
    '/api/v2/todo?tagIds=TAG',
    '/api/v2/todo?tagIds=TAG&completed=true',
    '/api/v2/todo/search?q=garden',
    '/api/v2/todo/search?q=gar',
    '/api/v2/todo/search?q=water%20the%20graden',
    '/api/v2/todo/search?q=graden',
    '/api/v2/todo/search?q=mnoth',
    '/api/v2/todo/search?q=no%20such%20thing',
    '/api/v2/tag',
    '/api/v2/tag?search=tag',
    '/api/v2/tag?ids=TAG',
    '/api/v2/tag/count',
    '/api/v2/projects',
    '/api/v2/projects/inbox',
    '/api/v2/projects/personal?search=pro',
    '/api/v2/projects/PROJECT',
    '/api/v2/projects/PROJECT/sections',
    '/api/v2/changes?after=CURSOR',
  ])('GET %s', (template) => {
    const path = template
      .replace('TAG', knownIds.tag)
      .replace('PROJECT', knownIds.project)
      .replace('CURSOR', encodeURIComponent(knownIds.cursor));
    return expectIndexes(async () => expect((await user.get(path)).status).toBe(200));
  });

  test('a search finds words by space and similarity, and tasks by words', async () => {
    const { statements } = await recordStatements(() => user.get('/api/v2/todo/search?q=gardne'));
    const [found] = statements.filter(({ sql }) => sql.includes('words_begun'));
    const plans = found ? await plansOf(found) : [];
    expect(plans).toHaveLength(2);
    for (const plan of plans) {
      const indexes = new Set(nodesOf(plan).map((node) => node['Index Name']));
      expect([...indexes]).toEqual(
        expect.arrayContaining(['task_words_pkey', 'task_words_likeness_idx', 'tasks_search_idx']),
      );
    }
  });

  test('a claim by a filter takes the first task of an index', async () => {
    const { statements } = await recordStatements(() =>
      user.data('mutation { claimTask(filter: { completed: false }) { fence } }'),
    );
    const [first] = statements.filter(({ sql }) => sql.includes('firstToClaim'));
    const plans = first ? await plansOf(first) : [];
    expect(plans).toHaveLength(2);
    for (const plan of plans)
      expect(nodesOf(plan).map((node) => node['Index Name'])).toContain('tasks_claim_order_idx');
  });

  const filters = [
    '{ topLevel: true }',
    '{ completed: true }',
    '{ projectId: $project }',
    '{ projectIds: [$project] }',
    '{ sectionId: $section }',
    '{ parentId: $task }',
    '{ text: "garden" }',
    '{ text: "graden", completed: false }',
    '{ hasDueDate: true }',
    '{ hasDueDate: false }',
    '{ updatedAfter: "2026-12-01T00:00:00Z" }',
    '{ priority: [HIGH] }',
    '{ tagIds: [$tag] }',
    '{ dueAfter: "2026-12-02", dueBefore: "2027-01-01" }',
    '{ projectId: $project, sectionId: $section, tagIds: [$tag], completed: false, topLevel: true, priority: [HIGH] }',
  ];
  const variables = 'query ($project: ID!, $section: ID!, $tag: ID!, $task: ID!, $after: String)';
  const run = async <Data>(selection: string, after?: string): Promise<Data> => {
    const declaredVariables = [...variables.matchAll(/\$(\w+): [\w!]+/g)].filter(([, name]) =>
      selection.includes(`$${name}`),
    );
    const head = declaredVariables.length > 0 ? `query (${declaredVariables.map(([text]) => text).join(', ')})` : '';
    return user.data<Data>(`${head} ${selection}`, { ...knownIds, ...(after !== undefined && { after }) });
  };

  test.each(filters)('tasks(filter: %s)', (filter) =>
    expectIndexes(() => run(`{ tasks(filter: ${filter}, first: 20) { nodes { id tags { name } } totalCount } }`)),
  );

  const orders = ['SORT_KEY', 'DUE_DATE', 'CREATED_AT', 'COMPLETED_AT', 'UPDATED_AT', 'PRIORITY', 'TITLE'];
  const directed = orders.flatMap((order) => [`${order}, direction: ASC`, `${order}, direction: DESC`]);

  describe.each(directed)('tasks(orderBy: %s)', (order) => {
    test.each(['first', 'last'])('pages by %s', async (side) => {
      const cursor = side === 'first' ? 'after' : 'before';
      const page = (pageArgument: string) =>
        `{ tasks(orderBy: ${order}, ${side}: 10 ${pageArgument}) { nodes { id } pageInfo { startCursor endCursor } } }`;
      type Page = { tasks: { pageInfo: { startCursor: string; endCursor: string } } };
      let at: string | undefined;
      await expectIndexes(async () => {
        const { pageInfo } = (await run<Page>(page(''))).tasks;
        at = side === 'first' ? pageInfo.endCursor : pageInfo.startCursor;
      });
      await expectIndexes(() => run(page(`, ${cursor}: $after`), at));
      const tagQuery = `{ tag(id: $tag) { tasks(orderBy: ${order}, ${side}: 10, ${cursor}: $after) { nodes { id } totalCount } } }`;
      await expectIndexes(() => run(tagQuery, at));
      const inProject = `{ project(id: $project) { tasks(orderBy: ${order}, ${side}: 10, ${cursor}: $after) { nodes { id } totalCount } } }`;
      await expectIndexes(() => run(inProject, at));
    });
  });

  test.each([
    '{ tasks(filter: { topLevel: true }, first: 100) { nodes { title children { title children { title tags { name } } } } } }',
    '{ tasks { edges { node { parent { title } project { name } section { name } tags { name taskCount } } } } }',
    '{ task(id: $task) { title children { title } tags { name } } }',
    '{ node(id: $task) { id } }',
    '{ nodes(ids: [$task, $project, $section, $tag]) { id } }',
    '{ projects { name tasks(first: 5) { nodes { title } totalCount } sections { name tasks { nodes { title } totalCount } } } }',
    '{ project(id: $project) { sections { tasks(filter: { completed: true }) { nodes { title } } } } }',
    '{ tags { name taskCount } tagCount }',
    '{ projects { tasks(filter: { text: "garden" }, orderBy: TITLE) { nodes { title } totalCount } } }',
    '{ tags { name tasks(first: 5, filter: { completed: false }) { nodes { title tags { name } } totalCount } } }',
    '{ tasks(first: 500) { nodes { title dueDate tags { name color } } } }',
    '{ search(query: "garden", first: 10) { tasks { title children { title } } tags { name taskCount } } }',
  ])('%s', (selection) => expectIndexes(() => run(selection)));
});
