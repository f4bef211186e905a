import type { Response } from 'express';
import { type InputProblem, ValidationError } from '@taskgate/base';
import { countOperation, readCached, runAsOne } from '../src/door/http.ts';
import { type Context, costOf, type Executor, operationOn, presentable, requireRightsOf } from '../src/door/index.ts';
import { type ErrorCode } from '../src/platform/errors.ts';
import { parse } from '../src/platform/input.ts';
import { shortened, toResult } from './result.ts';
import { type Api, isReading, type NamedTool, Preview } from './tool.ts';

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
  const [head = '', ...rest] = path.replace(/^(input|filter)(\.|$)/, '').split('.');
  // Queries have no place. `repeat` is a text, so its faults name no part.
  const name = place === '' && head === 'after' ? 'cursor' : (names[head] ?? head);
  return { path: [place, name, ...(head === 'recurrence' ? [] : rest)].filter(Boolean).join('.'), message };
};

/** The remedy, unless the message names it. */
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
function faultOf(error: unknown, requestId: string): string {
  const indexed = ({ path, message }: InputProblem) => ({ path: path.replace(/\.(\d+)(?=\.|$)/g, '[$1]'), message });
  const fault = error instanceof ValidationError ? new ValidationError(error.problems.map(indexed)) : error;
  const { message, extensions } = presentable(fault, requestId);
  const { code, retryAfter } = extensions as { code: ErrorCode; retryAfter?: number };
  const remedy = retryAfter === undefined ? remedies[code] : `try again after ${retryAfter} seconds`;
  return `${code}: ${message}${remedy === undefined ? '' : `; ${remedy}`}`;
}

/** @returns a function that runs a tool and never throws */
export function callsOf(executor: Executor) {
  const { schema } = executor;
  const operation = operationOn(executor);
  const apiOf = (context: Context, response: Response): Api => ({
    context,
    async run(document, variables, place = '') {
      const values = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
      countOperation(context, response, costOf(schema, document, values));
      try {
        return (await operation(document, values, context)) as never;
      } catch (error) {
        if (error instanceof ValidationError)
          throw new ValidationError(error.problems.map((each) => placed(each, place)));
        if (place && error instanceof Error) error.message = `${place}: ${error.message}`;
        throw error;
      }
    },
  });
  return async (tool: NamedTool, given: unknown, context: Context, response: Response) => {
    try {
      countOperation(context, response, 0);
      for (const document of tool.documents) requireRightsOf(schema, document, context);
      const input = parse(tool.input, given ?? {});
      const answer = async (own: Context) => shortened(await tool.answer(input as never, apiOf(own, response)));
      if (isReading(tool)) {
        const name = JSON.stringify(['mcp', tool.name, input]);
        return toResult(await readCached(context, name, () => answer(context)));
      }
      // Without the bound of a stored response: a result is shorter, whatever its operations read.
      const write = ({ maxResponseBytes: _bound, ...own }: Context) => {
        countOperation(own, response, 0, tool.writes?.(input as never) ?? 1);
        return answer(own);
      };
      if (!('operationId' in tool.output.shape)) return toResult(await write(context));
      const { fence, ...others } = input as { key?: string; fence?: string };
      const call = { key: others.key, fence, parts: [tool.name, others], writes: 2 };
      const { value, operationId } = await runAsOne(context, call, write);
      return toResult({ ...value, operationId });
    } catch (error) {
      if (error instanceof Preview) return toResult(error.cause as object);
      return { isError: true, content: [{ type: 'text' as const, text: faultOf(error, context.requestId) }] };
    }
  };
}
