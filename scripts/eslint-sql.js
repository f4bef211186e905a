// Selectors of `no-restricted-syntax` for SQL and for access to rows.
import { readFileSync } from 'node:fs';

const schema = readFileSync(new URL('../prisma/schema.prisma', import.meta.url), 'utf8');
/** Tables by the names of the client's models. */
const tables = new Map(
  [...schema.matchAll(/^model (\w)(\w*) \{$[^]*?@@map\("(\w+)"\)/gm)].map(([, first = '', rest, table]) => [
    `${first.toLowerCase()}${rest}`,
    table,
  ]),
);
const anyModel = [...tables.keys()].join('|');

/** Data files of modules, and the layers below. */
export const sqlFiles = [
  'src/*/**/{data,*-data}.ts',
  'src/platform/{database,idempotency,log-reader,policy,recent,rows-again,transaction,trigger-settings,visible-entities,write}.ts',
  'packages/{postgres,postgres-server,nested-read,limits}/*.ts',
  'packages/outbox/rows.ts',
];
export const sqlElsewhere = [
  // Prisma's models and raw queries. Files may pass the client on.
  `MemberExpression:matches([object.name=/^(db|tx|database|client|prisma)$/i], [object.property.name="db"])[property.type="Identifier"][property.name=/^([$]|(${anyModel})$)/]`,
  'ImportDeclaration[importKind="value"] > ImportSpecifier[importKind="value"][imported.name=/^(runSql|runSessionRead|runSessionWrite|read(OnAny|OnPrimary|UnderSettings|InSnapshot|WithDeadline)|streamInSnapshot|prepared|Prisma)$/]',
  'MemberExpression:matches([object.name="connections"], [object.property.name="connections"])[property.name=/^(newClient|readsOf|[a-zA-Z]*[pP]ool)$/]',
  'ObjectPattern > Property[key.name=/^([a-z]+Pool|pool|db)$/]',
  'ImportDeclaration[importKind="value"][source.value="pg"]',
].map((selector) => ({ selector, message: "Only a module's data.ts runs SQL." }));

/** Matches the Prisma client of a database. @param path of the attribute */
const ofDb = (path) => `:matches([${path}.name='db'], [${path}.property.name='db'])`;

export const throwingReads = {
  selector:
    'MemberExpression:matches([object.object.name=/^(db|tx)$/], [object.object.property.name="db"])[property.name=/OrThrow$/]',
  message: 'Use findFirst() with orNotFound(): a row that was deleted after the commit is NOT_FOUND, not INTERNAL.',
};

export const batchedReads = {
  selector: `MemberExpression${ofDb('object.object')}[property.name='findUnique']`,
  message:
    'Use findFirst(). Prisma combines concurrent findUnique() calls into one statement, even if they belong to transactions of different operations (docs/decisions/0810).',
};

/** Models of rows that belong to a space. */
const ofSpaces = [
  ...['space', 'membership', 'invitation', 'project', 'section', 'tag', 'task'],
  ...['taskTag', 'taskAssignee', 'comment', 'claim'],
];
// The model of invitations is a view of this table.
const tablesOfSpaces = ['invitations', ...ofSpaces.map((model) => tables.get(model))];
const writesOfSpaces = {
  message:
    'Write rows of spaces only with write() or writeStatement() of src/platform/write.ts, which check access under the lock.',
  models: new RegExp(`^(${ofSpaces.join('|')})$`),
  statement: new RegExp(`\\b(INSERT\\s+INTO|UPDATE|DELETE\\s+FROM)\\s+(${tablesOfSpaces.join('|')})\\b`),
};
export const unlockedWrites = [
  {
    selector: `MemberExpression${ofDb('object.object')}[object.property.name=${writesOfSpaces.models}][property.name=/^(create|update|upsert|delete)/]`,
    message: writesOfSpaces.message,
  },
  {
    selector: `TaggedTemplateExpression${ofDb('tag.object')} TemplateElement[value.raw=${writesOfSpaces.statement}]`,
    message: writesOfSpaces.message,
  },
  {
    selector: `CallExpression:matches([callee.object.name=/[pP]ool$/], [callee.object.property.name=/[pP]ool$/]) :matches(TemplateElement[value.raw=${writesOfSpaces.statement}], Literal[value=${writesOfSpaces.statement}])`,
    message: writesOfSpaces.message,
  },
  {
    selector: `CallExpression[callee.name='runSql']:matches([arguments.0.name='connections'], [arguments.0.property.name='connections']) TemplateElement[value.raw=${writesOfSpaces.statement}]`,
    message: writesOfSpaces.message,
  },
  {
    selector: `MemberExpression${ofDb('object')}[property.name='$transaction']`,
    message: 'Run transactions with transaction() of src/platform/transaction.ts, or write() of src/platform/write.ts.',
  },
  {
    selector: 'TemplateElement[value.raw=/\\block_(spaces\\w*|for_write)\\b/]',
    message: 'Only src/platform/write.ts locks spaces.',
  },
];

export const accessElsewhere = [
  'TaggedTemplateExpression MemberExpression[property.name="spaceIds"]',
  'Property[key.name="in"] > MemberExpression[property.name="spaceIds"]',
].map((selector) => ({
  selector,
  message: 'Only src/platform/policy.ts states who may see a row: use its conditions.',
}));

export const ownTransactions = {
  selector: `MemberExpression${ofDb('object.object')}[property.name=/^(create|update|upsert)/]`,
  message: 'Outside of a transaction, Prisma opens one for this: use one statement, or a transaction.',
};

/** These models may have any number of tasks. */
export const unboundedReads = {
  selector: `CallExpression${ofDb('callee.object.object')}[callee.object.property.name=/^(space|project|section|task|tag|taskTag)$/][callee.property.name!=/^read/] > ObjectExpression > SpreadElement`,
  message:
    'Read selections of clients with db.MODEL.read() of @taskgate/nested-read, within the budget of the operation.',
};
