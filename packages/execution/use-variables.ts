import type { GraphQLSchema } from 'graphql';
import { requireNone } from '@taskgate/base';
import { operationNamed } from './named-operation.ts';
import { variableProblems } from './variables.ts';
import type { CheckPlugin } from './envelop.ts';

/** Refuses variables that do not fit their types. */
export const useVariables = (schema: GraphQLSchema, { introspection }: { introspection: boolean }): CheckPlugin => ({
  onValidate({ context: { operationName, variables }, params: { documentAST: document } }) {
    return ({ valid }) => {
      if (!valid) return;
      const operation = operationNamed(document, operationName);
      requireNone(variableProblems(schema, document, operation, variables, !introspection));
    };
  },
});
