import type { Response } from 'express';
import { type DocumentNode, type GraphQLError, Kind, parse as parseDocument } from 'graphql';
import { type InputProblem, ValidationError } from '@taskgate/base';
import { countOperation, readOnce, runAsOne } from '../src/door/http.ts';
import { type Context, costOf, type Executor, presentable, requireRightsOf } from '../src/door/index.ts';
import { type ErrorCode } from '../src/platform/errors.ts';
import { parse } from '../src/platform/input.ts';
import { type Caller, type Mutation, Preview, type Step, toResult, type Tool } from './tool.ts';

/** One document with a field for each mutation. @param name of the operation */
export function documentOf(name: string, mutations: readonly Mutation[]): DocumentNode {
  const variables = mutations.flatMap(({ types }, index) =>
    Object.entries(types).map(([argument, type]) => `$${argument}${index}: ${type}`),
  );
  const fields = mutations.map(({ name, types, fragment }, index) => {
    const given = Object.keys(types).map((argument) => `${argument}: $${argument}${index}`);
    const [definition] = fragment?.definitions ?? [];
    const selection = definition && 'name' in definition ? ` { ...${definition.name?.value} }` : '';
    return `step${index}: ${name}(${given.join(', ')})${selection}`;
  });
  const { definitions } = parseDocument(`mutation ${name}(${variables.join(', ')}) { ${fields.join(' ')} }`, {
    noLocation: true,
  });
  const fragments = mutations.flatMap(({ fragment }) => fragment?.definitions ?? []);
  return { kind: Kind.DOCUMENT, definitions: [...definitions, ...new Set(fragments)] };
}

/** Names of the tools for arguments of the schema. */
const names: Readonly<Record<string, string>> = {
  projectId: 'project',
  sectionId: 'section',
  tagIds: 'tags',
  assigneeIds: 'assignees',
  recurrence: 'repeat',
  isAllDay: 'dueTime',
  operationId: '',
};

/** From `input.projectId` to `tasks[6].project`. */
const placed = ({ path, message }: InputProblem, place: string): InputProblem => {
  const [head = '', ...rest] = path.replace(/^(input|filter)\./, '').split('.');
  // Queries have no place. `repeat` is a text, so its faults name no part.
  const name = place === '' && head === 'after' ? 'cursor' : (names[head] ?? head);
  const own = head === 'input' ? [] : [name, ...(head === 'recurrence' ? [] : rest)];
  return { path: [place, ...own].filter(Boolean).join('.'), message };
};

/** @param place of the step in the tool's input */
function failureOf(error: GraphQLError, place: string, requestId: string): Error {
  const { originalError } = error;
  if (originalError instanceof ValidationError)
    return new ValidationError(originalError.problems.map((problem) => placed(problem, place)));
  const shown = presentable(error, requestId);
  if (place) shown.message = `${place}: ${shown.message}`;
  return shown;
}

/** What helps, besides the message. */
const remedies: Partial<Record<ErrorCode, string>> = {
  NOT_FOUND: 'overview, search and list_tasks have the ids of what there is, and history those of operations',
  FORBIDDEN: 'ask the user for more rights, or leave it to a person who has them',
  TASK_CLAIMED: 'claim_task without an id takes one that nobody works on',
  CLAIM_LOST: 'leave its task, which others may work on now',
  CURSOR_EXPIRED: 'begin again without cursor',
  UNAVAILABLE: 'try again in a moment',
  INTERNAL: 'try again, and tell the operator if it happens again',
};

/** The fault and the remedy. */
export function faultOf(error: unknown, requestId: string): string {
  const { message, extensions } = presentable(error, requestId);
  const code = String(extensions['code']);
  const { retryAfter } = extensions;
  const wait = typeof retryAfter === 'number' ? `try again after ${retryAfter} seconds` : undefined;
  const remedy = wait ?? remedies[code as ErrorCode];
  const problems = error instanceof ValidationError ? error.problems : [];
  const described = problems.map(({ path, message }) =>
    `${path.replace(/\.(\d+)(?=\.|$)/g, '[$1]')} ${message}`.trim(),
  );
  return `${code}: ${described.join('; ') || message}${remedy === undefined ? '' : `; ${remedy}`}`;
}

/** @returns a function that runs a tool, and whose results are never exceptions */
export const callsOf =
  (executor: Executor) => async (tool: Tool, given: unknown, context: Context, response: Response) => {
    const { schema } = executor;
    const callerOf = (own: Context): Caller => {
      const execute = async (
        document: DocumentNode,
        variableValues: Record<string, unknown>,
        steps?: readonly Step[],
      ) => {
        countOperation(own, response, costOf(schema, document, variableValues), steps?.length);
        const { data, errors: [error] = [] } = await executor.execute({ document, variableValues, contextValue: own });
        if (!error) return data ?? {};
        const index = /^step(\d+)$/.exec(String(error.path?.[0]))?.[1];
        throw failureOf(error, (index !== undefined && steps?.[Number(index)]?.place) || '', own.requestId);
      };
      return {
        context: own,
        run: async (document, variables) => (await execute(document, variables as Record<string, unknown>)) as never,
        async mutate<Result>(steps: readonly Step<Result>[]) {
          const mutations = steps.map(({ mutation }) => mutation);
          const values = steps.flatMap(({ mutation, args }, index) =>
            Object.keys(mutation.types).map((name) => [`${name}${index}`, args[name]] as const),
          );
          const data = await execute(documentOf(tool.name, mutations), Object.fromEntries(values), steps);
          return Object.values(data) as [Result, ...Result[]];
        },
      };
    };
    try {
      countOperation(context, response, 0, Number(tool.kind === 'mutation'));
      for (const document of tool.documents) requireRightsOf(schema, document, context);
      const input = parse(tool.input, given ?? {}) as { key?: string; fence?: string };
      if (tool.kind === 'read') {
        const name = JSON.stringify(['mcp', tool.name, input]);
        return toResult(await readOnce(context, name, () => tool.answer(input as never, callerOf(context))));
      }
      const run = (own: Context) => tool.answer(input as never, callerOf(own));
      if (tool.kind === 'mutation') return toResult(await run(context));
      const { fence, ...others } = input;
      const call = { key: input.key, fence, parts: [tool.name, others], writes: 2 };
      const { value, operationId } = await runAsOne(context, call, run);
      return toResult({ ...value, ...(operationId !== null && { operationId }) });
    } catch (error) {
      if (error instanceof Preview) return toResult(error.value);
      return { isError: true, content: [{ type: 'text' as const, text: faultOf(error, context.requestId) }] };
    }
  };
