import {
  getNamedType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  isInterfaceType,
  isLeafType,
  isObjectType,
} from 'graphql';

const argumentsOfFields: Record<string, string> = {
  'Project.tasks': '(first: 10, filter: { completed: false }, orderBy: TITLE, direction: DESC)',
  'Query.applicationRequest': '(query: $request)',
  'Query.changes': '(after: $cursor)',
  'Query.node': '(id: $task)',
  'Query.nodes': '(ids: [$task, $project])',
  'Query.operation': '(id: $operation)',
  'Query.previewRecurrence': '(input: { rule: "FREQ=DAILY" }, dueTime: "2030-01-01T09:00:00Z")',
  'Query.project': '(id: $project)',
  'Query.projects': '(search: "o", personal: true)',
  'Query.search': '(query: "plants", first: 5)',
  'Query.tag': '(id: $tag)',
  'Query.tags': '(search: "e")',
  'Query.task': '(id: $task)',
  'Query.workspace': '(id: $workspace)',
  'Query.tasks': '(last: 10, orderBy: DUE_DATE, filter: { topLevel: true })',
  'Tag.tasks': '(last: 10, orderBy: UPDATED_AT, direction: ASC)',
  'Section.tasks': '(first: 10, filter: { topLevel: true })',
};

/** The scalar fields of a type, or if it has none, all fields. */
export function selectionOf(type: GraphQLNamedType): string {
  if (isLeafType(type) || !(isObjectType(type) || isInterfaceType(type))) return '';
  const fields = Object.values(type.getFields());
  const leafFields = fields.filter((field) => isLeafType(getNamedType(field.type)));
  return `{ ${(leafFields.length > 0 ? leafFields : fields).map((field) => selectField(type.name, field)).join(' ')} }`;
}

/** The field with its arguments. @param wrapIn name of its type */
export const callOf = (wrapIn: string, { name }: GraphQLField<unknown, unknown>) =>
  `${name}${argumentsOfFields[`${wrapIn}.${name}`] ?? ''}`;

const selectField = (wrapIn: string, field: GraphQLField<unknown, unknown>) =>
  `${callOf(wrapIn, field)} ${selectionOf(getNamedType(field.type))}`;

/** Every field of the type, each with its {@link selectionOf}. */
export const allOf = (type: GraphQLObjectType): string =>
  Object.values(type.getFields())
    .map((field) => selectField(type.name, field))
    .join('\n');

const variables = {
  $cursor: 'String!',
  $request: 'String!',
  $synced: 'String!',
  $task: 'ID!',
  $project: 'ID!',
  $tag: 'ID!',
  $workspace: 'ID!',
  $operation: 'ID!',
};

/** A query that declares the variables of its body. */
export function documentWith(body: string): string {
  const used = Object.entries(variables).filter(([name]) => body.includes(name));
  const declarations = used.map(([name, kind]) => `${name}: ${kind}`).join(', ');
  return `query${declarations ? `(${declarations})` : ''} { ${body} }`;
}
