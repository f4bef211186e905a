// ESLint rules of this project's own.

/** Requires a reason, after two dashes, in a directive that turns a rule off. */
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

/** Requires PostgreSQL's clock for stored times and validity, because the clocks of processes may differ. */
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

/** Requires names of prepared statements that derive from the text, because processes share connections through a pooler. */
export const statementsNamedByText = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    'ObjectExpression:has(> Property[key.name="text"]) > Property[key.name="name"]'(node) {
      if (['nameOf', 'statementName'].includes(node.value.callee?.name)) return;
      context.report({ node, message: 'Make the statement by prepared() of src/database/statements.ts.' });
    },
  }),
};
