import type { GraphQLSchema } from 'graphql';
import { requireNone } from '../../kernel/errors.ts';
import { estimate } from '../complexity.ts';
import { operationNamed } from '../operation-names.ts';
import type { CheckPlugin } from '../envelop.ts';

/** Estimates the cost of an operation, and refuses it above the limit. Variables must be valid. */
export const useCost = (schema: GraphQLSchema): CheckPlugin => ({
  onValidate({ context, params: { documentAST: document } }) {
    return ({ valid }) => {
      if (!valid) return;
      const operation = operationNamed(document, context.operationName);
      const { problems, cost } = estimate(schema, document, operation, context.variables);
      requireNone(problems);
      context.cost = cost;
    };
  },
});
