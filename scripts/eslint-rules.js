// ESLint rules of this project's own.

/** A directive that turns a rule off says why, after two dashes. */
export const describedDirectives = {
  meta: { type: 'suggestion', schema: [] },
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        if (/^\s*eslint-disable/.test(comment.value) && !/--\s*\S/.test(comment.value)) {
          context.report({ loc: comment.loc, message: 'Say why the rule is turned off, after two dashes.' });
        }
      }
    },
  }),
};

/** What is stored or valid uses PostgreSQL's clock: processes may disagree about the time, and one of them be wrong. */
export const databaseClock = {
  meta: { type: 'problem', schema: [] },
  create: (context) => {
    const report = (node) =>
      context.report({ node, message: "Take moments from PostgreSQL's clock, and durations from performance.now()." });
    return {
      'CallExpression[callee.object.name="Date"][callee.property.name="now"]': report,
      'NewExpression[callee.name="Date"][arguments.length=0]': report,
      'MemberExpression[object.name="Temporal"][property.name="Now"]': report,
    };
  },
};

/** Statements that are prepared under a name take it from their text: processes that share a connection by a pooler do too. */
export const statementsNamedByText = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    'ObjectExpression:has(> Property[key.name="text"]) > Property[key.name="name"]'(node) {
      if (['nameOf', 'statementName'].includes(node.value.callee?.name)) return;
      context.report({ node, message: 'Make the statement by prepared() of src/database/statements.ts.' });
    },
  }),
};
