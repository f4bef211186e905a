// Selectors of `no-restricted-syntax` for SQL and access to rows.

/** Files that may run SQL: the data of each module and the layers below. */
export const sqlFiles = [
  'src/*/**/{data,*-data}.ts',
  'src/{database,embedded-postgres,nested-read,rate-limits}/**/*.ts',
  'src/kernel/policy.ts',
];
export const sqlElsewhere = [
  // Prisma's models and raw queries. A file may pass the client on without using it.
  'MemberExpression[object.name=/^(db|tx|database|client|prisma)$/i][property.type="Identifier"][property.name=/^([$]|(user|session|space|membership|invitation|project|section|task|tag|taskTag|preferences|knownDevice)$)/]',
  'ImportDeclaration[importKind="value"] > ImportSpecifier[importKind="value"][imported.name=/^(runSql|runRead|runWithin|readUnderSettings|readInSnapshot|inSnapshot|prepared|newClient|[a-zA-Z]*[pP]ool|Prisma)$/]',
  'ImportDeclaration[importKind="value"][source.value="pg"]',
].map((selector) => ({ selector, message: "Only a module's data.ts runs SQL." }));

/** A row may be deleted between commit and read. NOT_FOUND is right then, but Prisma's own error would be INTERNAL. */
export const throwingReads = {
  selector: 'MemberExpression[object.object.name=/^(db|tx)$/][property.name=/OrThrow$/]',
  message: 'Say orNotFound() of what findUnique() or findFirst() gives.',
};

/** Prisma batches concurrent findUnique() calls, even of different operations, into one statement or transaction. */
export const batchedReads = {
  selector: "MemberExpression[object.object.name='db'][property.name='findUnique']",
  message: 'Find rows by findFirst(): docs/decisions/0810.',
};

/** database/write.ts checks the caller's access under the lock. */
const writesOfSpaces = {
  message:
    'Rows of spaces are written by write() or writeStatement() of src/database/write.ts, on the client that they give.',
  models: /^(space|membership|invitation|project|section|task|tag|taskTag)$/,
  statement:
    /\b(INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(spaces|memberships|invitations|projects|sections|tasks|tags|task_tags)\b/,
};
export const unlockedWrites = [
  {
    selector: `MemberExpression[object.object.name='db'][object.property.name=${writesOfSpaces.models}][property.name=/^(create|update|upsert|delete)/]`,
    message: writesOfSpaces.message,
  },
  {
    selector: `TaggedTemplateExpression[tag.object.name='db'] TemplateElement[value.raw=${writesOfSpaces.statement}]`,
    message: writesOfSpaces.message,
  },
  {
    selector: `CallExpression[callee.object.name=/[pP]ool$/] :matches(TemplateElement[value.raw=${writesOfSpaces.statement}], Literal[value=${writesOfSpaces.statement}])`,
    message: writesOfSpaces.message,
  },
  {
    selector: "MemberExpression[object.name='db'][property.name='$transaction']",
    message:
      'Transactions are run by transaction() of src/database/transaction.ts, or write() of src/database/write.ts.',
  },
  {
    selector: 'TemplateElement[value.raw=/\\block_(spaces\\w*|for_write)\\b/]',
    message: 'Spaces are locked by src/database/write.ts alone.',
  },
];

/** One place defines the access by space, for SQL and Prisma. */
export const accessElsewhere = [
  'TaggedTemplateExpression MemberExpression[property.name="spaceIds"]',
  'Property[key.name="in"] > MemberExpression[property.name="spaceIds"]',
].map((selector) => ({ selector, message: 'Say who may see a row by src/kernel/policy.ts.' }));

/** Reads selected by a client need the budget of the operation: these models may have any number of tasks. */
export const unboundedReads = {
  selector:
    "CallExpression[callee.object.object.name='db'][callee.object.property.name=/^(space|project|section|task|tag|taskTag)$/] > ObjectExpression > SpreadElement",
  message:
    'What a client selects is read by readMany() of src/nested-read/read.ts, within the budget of the operation.',
};
