import pg from 'pg';

export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Alias?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Join Type'?: string;
  Plans?: PlanNode[];
}

/** A node and the nodes below it. */
export const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** The nodes of all plans that `work` runs, also inside functions and triggers. */
export async function recordPlans(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<PlanNode[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: '-c session_preload_libraries=auto_explain -c plan_cache_mode=force_generic_plan',
  });
  await client.connect();
  const plans: PlanNode[] = [];
  client.on('notice', ({ message = '' }) => {
    const [, json] = /plan:\n(\{.*\})$/s.exec(message) ?? [];
    if (json !== undefined) plans.push((JSON.parse(json) as { Plan: PlanNode }).Plan);
  });
  const settings = ['log_min_duration = 0', 'log_nested_statements = on', 'log_format = json'];
  for (const setting of settings) await client.query(`SET auto_explain.${setting}`);
  await client.query('SET client_min_messages = log');
  try {
    await work(client);
  } finally {
    await client.end();
  }
  return plans.flatMap(nodesOf);
}
