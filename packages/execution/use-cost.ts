import type { GraphQLSchema } from 'graphql';
import { requireNone } from '@taskgate/base';
import { estimate } from './complexity.ts';
import { operationNamed } from './named-operation.ts';
import type { CheckPlugin } from './envelop.ts';

/** Must come after `useVariables`. */
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
