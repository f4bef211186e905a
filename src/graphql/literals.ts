import { type ASTNode, type ASTVisitor, GraphQLError, type ValidationRule, ValuesOfCorrectTypeRule } from 'graphql';
import { isText, notText } from '../kernel/input.ts';

/**
 * GraphQL's rule of literals (specification, 5.6.1), with a place for each of its errors: what a scalar throws of
 * itself has none, and so no path of an argument.
 */
export const LiteralsOfCorrectTypeRule: ValidationRule = (context) => {
  let current: ASTNode | undefined;
  const locating = Object.create(context, {
    reportError: {
      value(error: GraphQLError) {
        const nodes = error.nodes ?? current;
        context.reportError(error.nodes ? error : new GraphQLError(error.message, { nodes, originalError: error }));
      },
    },
  }) as typeof context;
  const rule = ValuesOfCorrectTypeRule(locating) as Record<string, (node: ASTNode) => unknown>;
  const located = Object.entries(rule).map(([kind, visit]) => [
    kind,
    (node: ASTNode) => {
      current = node;
      return visit(node);
    },
  ]);
  return Object.fromEntries(located) as ASTVisitor;
};

/** Strings of a document are text, as those of variables are. */
export const TextLiteralsRule: ValidationRule = (context) => ({
  StringValue(node) {
    if (!isText(node.value)) context.reportError(new GraphQLError(notText, { nodes: node }));
  },
});
