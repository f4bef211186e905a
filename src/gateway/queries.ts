import type { RequestHandler, Response } from 'express';
import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import { answers, stateOf } from '../kernel/answers.ts';
import type { Viewer } from '../kernel/context.ts';
import { run } from '../kernel/execute.ts';
import { type Asked, askedOf } from './asked.ts';
import type { CheckOperation } from './operation.ts';

/** Media types of an answer in JSON (GraphQL over HTTP, 6.4); the first for clients that take any. */
export const jsonTypes = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];

/**
 * Answers queries in JSON: from what is kept of the same state, or by executing them, and keeps what they were
 * answered. All else is left to Yoga: other operations, other forms of answers, and errors. To lead a list of tasks
 * through it takes as long as to read it.
 */
export function answerQueries(schema: GraphQLSchema, checkOperation: CheckOperation): RequestHandler {
  return async (request, response, next) => {
    const asked = askedOf(request);
    const type = request.accepts(jsonTypes);
    if (!type || !asked.parameters) return next();
    const state = asked.context.viewer ? stateOfAnswer(asked, asked.context.viewer, type) : undefined;
    const kept = state === undefined ? undefined : answers.get(state);
    // What is kept has passed the gate, and need not pass it again.
    if (kept) return send(response, kept.type, kept.body);

    const checked = (asked.checked = checkOperation(asked.parameters, request.id));
    if (checked.errors || checked.operation.operation !== OperationTypeNode.QUERY) return next();
    const { document, operationName, variables } = checked;
    const result = await run({
      schema,
      document,
      operationName,
      variableValues: variables,
      contextValue: asked.context,
    });
    if (result.errors) {
      asked.result = result;
      return next();
    }
    const body = Buffer.from(JSON.stringify(result));
    if (state !== undefined) answers.set(state, { type, body });
    send(response, type, body);
  };
}

function send(response: Response, type: string, body: Buffer): void {
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', body.length);
  response.end(body);
}

/** Variables may be nested too deep to be written down: the gate refuses them, they need no name. */
function stateOfAnswer({ parameters }: Asked, viewer: Viewer, type: string): string | undefined {
  try {
    return stateOf(viewer, JSON.stringify([type, parameters]));
  } catch {
    return undefined;
  }
}
