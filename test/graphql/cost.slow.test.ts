import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  getNamedType,
  getOperationAST,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  parse,
} from 'graphql';
import pg from 'pg';
import { sessionSettings } from '../../packages/postgres/postgres.ts';
import { schema } from '../../src/schema.ts';
import { queryFor, registered } from '../kit/application.ts';
import { makeSection, makeTag } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { isRead, recordStatements, type Statement } from '../kit/statements.ts';
import { fill } from '../kit/tasks.ts';
import { signUp, type User } from '../kit/users.ts';
import { estimate } from '../../packages/execution/complexity.ts';

const count = 10_000;

let service: Service;
let anna: User;
let client: pg.Client;
/** Arguments and conditions by field, or else by name, or else by type. The conditions match no task. */
let samples: Record<string, string>;

beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
  client = new pg.Client({
    connectionString: service.databaseUrl,
    options: Object.entries(sessionSettings)
      .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', String.raw`\ `)}`)
      .join(' '),
  });
  await client.connect();
  await fill(service, anna, count);
  const [project] = await service.sql<{ id: string }>('SELECT id FROM projects WHERE space_id = $1', [anna.id]);
  const [other, section, ...tags] = await Promise.all([
    makeTag(anna),
    makeSection(anna, project?.id ?? ''),
    makeTag(anna),
    makeTag(anna),
  ]);
  await service.sql('UPDATE tasks SET section_id = $2 WHERE space_id = $1', [anna.id, section.id]);
  await service.sql(
    'INSERT INTO task_tags SELECT tasks.id, tag, $1 FROM tasks, unnest($2::text[]) AS tag WHERE space_id = $1',
    [anna.id, tags.map(({ id }) => id)],
  );
  const [task] = await service.sql<{ id: string }>('SELECT id FROM tasks WHERE space_id = $1 LIMIT 1', [anna.id]);
  await service.sql('VACUUM ANALYZE');
  const id = `"${task?.id ?? ''}"`;
  samples = {
    ids: `[${id}]`,
    query: '"task"',
    'applicationRequest.query': JSON.stringify(queryFor(await registered(service))),
    search: '"x"',
    id,
    tagIds: `["${other.id}"]`,
    hasDueDate: 'true',
    completed: 'true',
    topLevel: 'false',
    text: '"nowhere"',
    ID: id,
    Date: '"2999-01-01"',
    DateTime: '"2999-01-01T00:00:00Z"',
    Priority: 'HIGH',
    seriesId: '"seri_00000000000000000000000000"',
    repeating: 'true',
    assigned: 'true',
    claimed: 'true',
    RecurrenceInput: '{ rule: "FREQ=DAILY" }',
  };
});
afterAll(async () => {
  await client.end();
  await service.close();
});

const sampleOf = ({ name, type }: { name: string; type: GraphQLInputType }, field = ''): string => {
  const sample = samples[`${field}.${name}`] ?? samples[name] ?? samples[getNamedType(type).name];
  if (sample === undefined) throw new Error(`this test needs a value for ${name}: ${String(type)}`);
  return sample;
};

const inputsOf = (type: GraphQLInputType): GraphQLInputField[] => {
  const named = getNamedType(type);
  return isInputObjectType(named) ? Object.values(named.getFields()) : [];
};
const valuesOf = (argument: GraphQLArgument | undefined): string[] => {
  const named = argument && getNamedType(argument.type);
  return isEnumType(named) ? named.getValues().map(({ name }) => name) : [];
};

/** Selects the whole result, once for each order and each condition of a filter. */
function callsOf(field: GraphQLField<unknown, unknown>): string[] {
  const requiredArguments = field.args
    .filter(isRequiredArgument)
    .map((each) => `${each.name}: ${sampleOf(each, field.name)}`);
  const argumentNamed = (name: string) => field.args.find((each) => each.name === name);
  if (argumentNamed('first')) requiredArguments.push('first: 1');
  const directions = valuesOf(argumentNamed('direction')).map((direction) => `direction: ${direction}`);
  const orders = valuesOf(argumentNamed('orderBy')).flatMap((order) =>
    directions.map((each) => [`orderBy: ${order}`, each]),
  );
  const filter = argumentNamed('filter');
  const filters = filter
    ? inputsOf(filter.type).map((condition) => [`filter: { ${condition.name}: ${sampleOf(condition)} }`])
    : [];
  const others = ['search', 'ids']
    .flatMap((name) => argumentNamed(name) ?? [])
    .map((each) => [`${each.name}: ${sampleOf(each)}`]);
  return [[], ...orders, ...filters, ...others].map((optionalArguments) => {
    const all = [...new Set([...requiredArguments, ...optionalArguments])];
    return `${field.name}${all.length > 0 ? `(${all.join(', ')})` : ''}`;
  });
}

type Path = (selection: string) => string;

function pathsFrom(start: GraphQLObjectType, path: Path): Map<GraphQLObjectType, Path> {
  const paths = new Map([[start, path]]);
  for (const [type, to] of paths) {
    for (const field of Object.values(type.getFields())) {
      const next = getNamedType(field.type);
      if (!isObjectType(next) || paths.has(next) || field.args.some(isRequiredArgument)) continue;
      paths.set(next, (selection) => to(`${field.name} { ${selection} }`));
    }
  }
  return paths;
}

function leafOf({ type }: Pick<GraphQLField<unknown, unknown>, 'type'>): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return isLeafType(named) ? '' : '{ __typename }';
  const { nodes, ...others } = named.getFields();
  if (nodes) return `{ nodes ${leafOf(nodes)} }`;
  const leaf = Object.values(others).find((each) => isLeafType(getNamedType(each.type)));
  const [below] = Object.values(others);
  if (leaf) return `{ ${leaf.name} }`;
  return below ? `{ ${below.name} ${leafOf(below)} }` : '{ __typename }';
}

const typeNamed = (name: string) => schema.getType(name) as GraphQLObjectType;

/** Queries for each field of each type, from the root and below the tasks of a page. */
const queries = () =>
  [
    pathsFrom(typeNamed('Query'), (selection) => `{ ${selection} }`),
    pathsFrom(typeNamed('Task'), (selection) => `{ tasks(first: 100) { nodes { ${selection} } } }`),
  ].flatMap((paths) =>
    [...paths].flatMap(([type, path]) =>
      Object.values(type.getFields()).flatMap((field) =>
        callsOf(field).map((call) => path(`${call} ${leafOf(field)}`)),
      ),
    ),
  );

interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
}

const rowsOf = (node: PlanNode): number =>
  node['Plans']?.reduce((sum, each) => sum + rowsOf(each), 0) ??
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];

async function workOf({ sql, values }: Statement): Promise<number> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>({
    text: `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${sql}`,
    values,
  });
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (!plan) throw new Error('there is no plan');
  return rowsOf(plan) + (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}

async function compareCosts(query: string) {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (!operation) throw new Error(`it has no operation: ${query}`);
  const { problems, cost } = estimate(schema, document, operation, {});
  if (problems.length > 0) return { cost: Infinity, work: 0 };
  const { result, own } = await recordStatements(() => anna.graphql(query));
  expect([query, result.errors]).toEqual([query, undefined]);
  let work = 0;
  for (const statement of own.filter(isRead)) work += await workOf(statement);
  return { cost, work };
}

/** Work of any statement: its look-ups in indexes. */
const smallWork = 300;

describe('the cost of a query', () => {
  test("is at least a tenth of PostgreSQL's work, relative to a page", async () => {
    const page = await compareCosts('{ tasks(first: 500) { nodes { id title } } }');
    const all = queries();
    expect(all.length).toBeGreaterThan(200);
    const underestimated: [query: string, cost: number, times: number][] = [];
    for (const query of all) {
      const { cost, work } = await compareCosts(query);
      const times = (work - smallWork) / cost / (page.work / page.cost);
      if (times > 10) underestimated.push([query, Math.round(cost), Math.round(times)]);
    }
    expect(underestimated).toEqual([]);
  }, 600_000);
});
