import {
  getNamedType,
  getNullableType,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { entities as kinds } from '../src/platform/entities.ts';

// Generates the client's types of entities and inputs, and the selection of `sync`, from the GraphQL schema. Id prefixes come
// from the registry of entities.

/** Fields of nested objects in a replica. */
const within: Record<string, string[]> = {
  User: ['preferences', 'invitations'],
  Workspace: ['members', 'memberships', 'invitations'],
  Membership: ['member'],
  Invitation: ['invitedBy'],
  Task: ['tags', 'recurrence', 'claim'],
  Claim: ['holder'],
  Comment: ['author'],
};
/** Ids of users, who are no entities of a replica. */
const idsOfUsers: Record<string, string[]> = { Comment: ['authorId'] };
/** Fields that access tokens may not read, so only replicas of a session have them. */
const ofSessions: Record<string, string[]> = { User: ['invitations'] };
/** Fields that replicas leave out. */
const leftOut: Record<string, string[]> = {
  // The change log omits sign-in methods.
  User: ['isPasswordSet', 'isOAuthLinked', 'provider', 'providers', 'totp', 'createdAt'],
  Preferences: ['id'],
  // Not foreseen for a new workspace.
  Membership: ['joinedAt'],
  Project: ['personal'],
  Tag: ['taskCount'],
  // A setting of the user, which the log does not report.
  Task: ['muted'],
  // The id of the task that holds it.
  Claim: ['taskId'],
};
/** Input types of a replica's mutations, and the matching entities. */
const inputs = {
  CreateTaskInput: 'Task',
  UpdateTaskInput: 'Task',
  BulkUpdateTasksInput: 'Task',
  RecurrenceInput: 'Recurrence',
  UpdatePreferencesInput: 'Preferences',
};

const scalars: Record<string, string> = { Boolean: 'boolean', Int: 'number', Float: 'number' };
const nameOf = (type: GraphQLNamedType) =>
  isLeafType(type) && !isEnumType(type) ? (scalars[type.name] ?? 'string') : type.name;
const isList = (type: GraphQLOutputType) => isListType(getNullableType(type));
const comment = (text: string | null | undefined) => (text ? `/** ${text.replaceAll('*/', '* /')} */\n` : '');

/** Fields of a type in a replica: leaves and lists of references. */
const heldOf = (type: GraphQLObjectType) =>
  Object.values(type.getFields()).filter(
    (field) =>
      !leftOut[type.name]?.includes(field.name) &&
      (isLeafType(getNamedType(field.type)) || within[type.name]?.includes(field.name)),
  );

const isOfSessions = (type: GraphQLObjectType, { name }: GraphQLField<unknown, unknown>) =>
  ofSessions[type.name]?.includes(name) === true;

/** Tags are stored as ids. */
const isReference = (type: GraphQLObjectType, { name }: GraphQLField<unknown, unknown>) =>
  type.name === 'Task' && name === 'tags';

const typeOf = (type: GraphQLOutputType) =>
  `${isList(type) ? 'readonly ' : ''}${nameOf(getNamedType(type))}${isList(type) ? '[]' : ''}${isNonNullType(type) ? '' : ' | null'}`;

const propertyOf = (owner: GraphQLObjectType) => (field: GraphQLField<unknown, unknown>) =>
  `${comment(field.description)}readonly ${field.name}${isOfSessions(owner, field) ? '?' : ''}: ${typeOf(field.type)};\n`;

/** @param isEntity whether the type has an id in the replica */
const interfaceOf = (type: GraphQLObjectType, isEntity: boolean) => {
  const fields = heldOf(type).filter((field) => !isReference(type, field));
  const tagIds =
    type.name === 'Task'
      ? `${comment("The caller's own tags on it, in the order of their ids.")}readonly tagIds: readonly string[];`
      : '';
  return `${comment(type.description)}export interface ${type.name} { ${isEntity ? `readonly __typename: '${type.name}';\n` : ''}${fields.map(propertyOf(type)).join('')}${tagIds} }\n\n`;
};

function selectionOf(type: GraphQLObjectType): string {
  const fields = heldOf(type).map((field) => {
    const named = getNamedType(field.type);
    if (isReference(type, field)) return `${field.name} { id }`;
    const selected = isObjectType(named) ? `${field.name} ${selectionOf(named)}` : field.name;
    return isOfSessions(type, field) ? `\${isSession ? '${selected}' : ''}` : selected;
  });
  return `{ ${fields.join(' ')} }`;
}

/** An input. Null is allowed for nullable fields of the entity and for references. */
function inputOf(schema: GraphQLSchema, name: string, about: string): string {
  const own = (schema.getType(about) as GraphQLObjectType).getFields();
  const input = schema.getType(name) as GraphQLInputObjectType;
  const fields = Object.values(input.getFields()).map((field) => {
    const type = getNullableType(field.type);
    const isId = getNamedType(type).name === 'ID' && !isListType(type) && field.name !== 'id';
    const held = own[field.name];
    const isNullable = !isNonNullType(field.type) && (isId || (held !== undefined && !isNonNullType(held.type)));
    const value = `${isListType(type) ? 'readonly ' : ''}${nameOf(getNamedType(type))}${isListType(type) ? '[]' : ''}`;
    return `${comment(field.description)}readonly ${field.name}${isNonNullType(field.type) ? '' : '?'}: ${value}${isNullable ? ' | null' : ''};\n`;
  });
  return `${comment(input.description)}export interface ${name} { ${fields.join('')} }\n`;
}

/** Default field values of a new entity, from the schema. */
function defaultsOf(schema: GraphQLSchema, entity: GraphQLObjectType): Record<string, unknown> {
  const input = schema.getType(`Create${entity.name}Input`);
  const given = isInputObjectType(input) ? input.getFields() : {};
  const fields = heldOf(entity).flatMap(({ name, type }) => {
    const value = given[name]?.defaultValue ?? (isNonNullType(type) ? undefined : null);
    if (value !== undefined) return [[name, value] as const];
    const isFlag = getNamedType(type).name === 'Boolean';
    // The creation sets the time.
    return isFlag || name === 'createdAt' ? [[name, isFlag ? false : ''] as const] : [];
  });
  return Object.fromEntries(fields);
}

/** Other mutations of a replica, and arguments that it never sends. */
const otherMutations = ['skipOccurrence', 'leaveWorkspace', 'updatePreferences', 'undo', 'restore'];
const withheld: Record<string, string[]> = {
  updateSection: ['inProjectId'],
  deleteSection: ['inProjectId'],
  undo: ['dryRun'],
};

const argumentsOf = ({ name, args }: GraphQLField<unknown, unknown>) =>
  args.filter((argument) => !withheld[name]?.includes(argument.name));

/** The document of a mutation with its variables and one result field. */
function documentOf(mutation: GraphQLField<unknown, unknown>): string {
  const { name, type } = mutation;
  const args = argumentsOf(mutation);
  const result = getNamedType(type);
  const fields = isObjectType(result) ? Object.values(result.getFields()) : [];
  const selected =
    fields.find((field) => field.name === 'id') ?? fields.find((field) => isLeafType(getNamedType(field.type)));
  return `mutation ${name}(${args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ')}) { ${name}(${args.map((arg) => `${arg.name}: $${arg.name}`).join(', ')})${selected ? ` { ${selected.name} }` : ''} }`;
}

/** Variables of a mutation. Null is allowed unless the entity's field is required. */
function variablesOf(mutation: GraphQLField<unknown, unknown>): string {
  const result = getNamedType(mutation.type);
  const held = isObjectType(result) ? result.getFields() : {};
  const variables = argumentsOf(mutation).map(({ name, type, extensions }) => {
    const isList = isListType(getNullableType(type));
    const isOwn =
      name === 'id' || extensions['isNullAbsent'] === true || (name in held && isNonNullType(held[name]?.type));
    const isNullable = !isNonNullType(type) && !isList && (!isOwn || name.endsWith('Id'));
    const value = `${isList ? 'readonly ' : ''}${nameOf(getNamedType(type))}${isList ? '[]' : ''}`;
    return `readonly ${name}${isNonNullType(type) ? '' : '?'}: ${value}${isNullable ? ' | null' : ''}`;
  });
  return `${comment(mutation.description)}${mutation.name}: { ${variables.join('; ')} };\n`;
}

/** Types of nested objects, at any depth. */
function partsOf(types: GraphQLObjectType[]): GraphQLObjectType[] {
  const fields = types.flatMap((type) => heldOf(type).filter((field) => !isReference(type, field)));
  const parts = fields.map(({ type }) => getNamedType(type)).filter(isObjectType);
  return parts.length === 0 ? [] : [...new Set([...parts, ...partsOf(parts)])];
}

/** The lists and the user of a batch, with their entity types. */
function batchOf(schema: GraphQLSchema) {
  const batch = (schema.getType('SyncBatch') as GraphQLObjectType).getFields();
  return Object.entries(batch).flatMap(([name, { type }]) => {
    const named = getNamedType(type);
    return isObjectType(named) && named.name !== 'Tombstone' ? [{ name, type: named, isList: isList(type) }] : [];
  });
}

/** Mutations that a replica sends. */
function mutationsOf(schema: GraphQLSchema) {
  const types = batchOf(schema).map(({ type }) => type.name);
  const named = types.flatMap((name) => ['create', 'update', 'move', 'delete'].map((action) => `${action}${name}`));
  const made = new Set([...named, ...named.map((name) => `${name}s`), ...otherMutations]);
  return Object.values(schema.getMutationType()?.getFields() ?? {}).filter(({ name }) => made.has(name));
}

const origin = '// Printed by `npm run schema`, from the GraphQL schema.\n\n';

/** Returns the sources of the client's `replica/types.ts` (data of a replica) and `replica/mutation-types.ts` (its mutations). */
export function clientTypesOf(schema: GraphQLSchema): { types: string; mutationTypes: string } {
  const types = batchOf(schema).map(({ type }) => type);
  const parts = partsOf(types);
  const typeNames = [
    ...[...types, ...parts].flatMap((type) => heldOf(type).map((field) => getNamedType(field.type).name)),
    ...Object.keys(inputs).flatMap((name) => inputFieldsOf(schema, name).map((field) => getNamedType(field.type).name)),
  ];
  const enums = [...new Set(typeNames)].map((name) => schema.getType(name)).filter((type) => isEnumType(type));
  const held = [
    origin,
    ...enums.map(enumOf),
    ...types.map((type) => interfaceOf(type, true)),
    ...parts.map((type) => interfaceOf(type, false)),
    `/** An entity of a replica: the service's type, with ids instead of objects. */\nexport type Entity = ${types.map(({ name }) => name).join(' | ')};\n`,
  ];
  const sent = [
    ...Object.entries(inputs).map(([name, about]) => inputOf(schema, name, about)),
    `/** Mutations that a replica sends, with their variables. */\nexport interface Mutations { ${mutationsOf(schema).map(variablesOf).join('')} }\n`,
  ];
  const sentText = sent.join('');
  const sentEnums = enums
    .map(({ name }) => name)
    .filter((name) => new RegExp(`: (readonly )?${name}\\b`).test(sentText));
  const imports = `${origin}import type { ${sentEnums.join(', ')} } from './types.ts';\n\n`;
  return { types: held.join(''), mutationTypes: imports + sentText };
}

/** Returns the source of the client's `replica/schema.ts`. */
export function clientSchemaOf(schema: GraphQLSchema): string {
  const entities = batchOf(schema);
  const types = entities.map(({ type }) => type);
  const lists = entities.filter((each) => each.isList);
  const references = types.map((type) => {
    const others = ['id', ...(idsOfUsers[type.name] ?? [])];
    const ids = heldOf(type).filter(({ name, type: of }) => getNamedType(of).name === 'ID' && !others.includes(name));
    return [type.name, [...ids.map(({ name }) => name), ...(type.name === 'Task' ? ['tagIds'] : [])]];
  });
  const mutations = mutationsOf(schema);
  const defaults = types.filter(({ name }) => mutations.some((mutation) => mutation.name === `create${name}`));
  const selections = entities.map(({ name, type }) => `${name} ${selectionOf(type)}`);
  return [
    `${origin}import type { Mutations } from './mutation-types.ts';\nimport type { Entity } from './types.ts';\n\n`,
    `/** Lists of a batch, and the types of their entities. */\nexport const lists = ${JSON.stringify(Object.fromEntries(lists.map(({ name, type }) => [name, type.name])))} as const;\n\n`,
    `/** Fields that refer to other entities. */\nexport const references = ${JSON.stringify(Object.fromEntries(references))} as const satisfies Record<Entity['__typename'], readonly string[]>;\n\n`,
    `/** Default field values of a new entity. */\nexport const defaults = ${JSON.stringify(Object.fromEntries(defaults.map((type) => [type.name, defaultsOf(schema, type)])))} as const;\n\n`,
    `/** Prefixes of ids that a client makes. */\nexport const prefixes = ${JSON.stringify(Object.fromEntries(defaults.map(({ name }) => [name, prefixOf(name)])))} as const;\n\n`,
    `/** Their documents. */\nexport const documents: Record<keyof Mutations, string> = ${JSON.stringify(Object.fromEntries(mutations.map((mutation) => [mutation.name, documentOf(mutation)])))};\n\n`,
    `/** Selections of a batch. An access token may read less than a session. */\nexport const selectionsOf = (isSession: boolean) => \`${selections.join('\n')}\`;\n`,
  ].join('');
}

const prefixOf = (kind: string): string | undefined => (kinds as Record<string, { prefix: string }>)[kind]?.prefix;

const inputFieldsOf = (schema: GraphQLSchema, name: string) => {
  const type = schema.getType(name);
  return isInputObjectType(type) ? Object.values(type.getFields()) : [];
};

const enumOf = (type: GraphQLEnumType) =>
  `${comment(type.description)}export type ${type.name} = ${type
    .getValues()
    .map(({ name }) => `'${name}'`)
    .join(' | ')};\n\n`;
