// ESLint rules for this project.

/** Requires a reason after two dashes in each `eslint-disable` directive. */
export const describedDirectives = {
  meta: { type: 'suggestion', schema: [] },
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        if (/^\s*eslint-disable/.test(comment.value) && !/--\s*\S/.test(comment.value)) {
          context.report({ loc: comment.loc, message: 'State after two dashes why the rule is turned off.' });
        }
      }
    },
  }),
};

/** Stored times and validity need PostgreSQL's clock, because the clocks of processes may differ. */
export const databaseClock = {
  meta: { type: 'problem', schema: [] },
  create: (context) => {
    const report = (node) =>
      context.report({ node, message: "Use PostgreSQL's clock for times, and performance.now() for durations." });
    return {
      'CallExpression[callee.object.name="Date"][callee.property.name="now"]': report,
      'NewExpression[callee.name="Date"][arguments.length=0]': report,
      'MemberExpression[object.name="Temporal"][property.name="Now"]': report,
    };
  },
};

/** Processes share connections through a pooler, so the names of prepared statements derive from the text. */
export const statementsNamedByText = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    'ObjectExpression:has(> Property[key.name="text"]) > Property[key.name="name"]'(node) {
      if (node.value.callee?.property?.name === 'nameOf') return;
      context.report({ node, message: 'Create the statement with prepared() of @taskgate/postgres.' });
    },
  }),
};
