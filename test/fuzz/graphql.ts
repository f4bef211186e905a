import fc from 'fast-check';
import {
  getNamedType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { EntityKind } from '../../src/platform/entities.ts';
import { schema } from '../../src/schema.ts';
import type { FuzzRequest } from './request.ts';
import { usually, text, valuesNamed } from './values.ts';

/** Excluded fields: they end the shared session or send mails. */
const excludedFields =
  /^(signOut|signUp|signIn|changePassword|resetPassword|request\w+|confirmEmailChange|\w+Totp|\w+Passkey\w*|inviteToWorkspace|endSession|endOtherSessions|linkProvider|unlinkProvider|createAccessToken|revokeAccessToken|\w+Application|deleteAccount|sendTestMail)$/;

const owners: [RegExp, EntityKind][] = [
  [/comment/i, 'Comment'],
  [/task/i, 'Task'],
  [/project|inbox/i, 'Project'],
  [/section/i, 'Section'],
  [/tag/i, 'Tag'],
  [/workspace/i, 'Workspace'],
];
const ownerOf = (field: string): EntityKind | undefined => owners.find(([pattern]) => pattern.test(field))?.[1];

function inputValue(name: string, type: GraphQLInputType, owner: EntityKind | undefined): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return inputValue(name, type.ofType, owner);
  const namedValues = valuesNamed(name, owner);
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const required = fields.filter((field) => isNonNullType(field.type));
    const others = fields.filter((field) => !isNonNullType(field.type));
    return fc.subarray(others).chain((some) => {
      const all = [...required, ...some].map((field) => [
        field.name,
        usually(inputValue(field.name, field.type, owner)),
      ]);
      return fc.record(Object.fromEntries(all) as Record<string, fc.Arbitrary<unknown>>);
    });
  }
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map((value) => value.name));
  if (namedValues) return namedValues;
  if (isListType(type)) return fc.array(inputValue(name, type.ofType, owner), { maxLength: 4 });
  if (type.name === 'Boolean') return fc.boolean();
  if (type.name === 'Int') return fc.integer({ min: -5, max: 600 });
  return text;
}

interface Part {
  text: string;
  variables: { definition: string; name: string; value: unknown }[];
}

let lastVariable = 0;

function argumentPart(argument: GraphQLArgument, owner: EntityKind | undefined): fc.Arbitrary<Part> {
  return usually(inputValue(argument.name, argument.type, owner)).map((value) => {
    const name = `v${(lastVariable = (lastVariable + 1) % 1_000_000)}`;
    return {
      text: `${argument.name}: $${name}`,
      variables: [{ definition: `$${name}: ${String(argument.type)}`, name, value }],
    };
  });
}

const together = (parts: readonly Part[], open: string, close: string): Part => ({
  text: parts.length > 0 ? `${open}${parts.map((part) => part.text).join(' ')}${close}` : '',
  variables: parts.flatMap(({ variables }) => variables),
});

function fieldPart(field: GraphQLField<unknown, unknown>, depth: number): fc.Arbitrary<Part> {
  const owner = ownerOf(field.name);
  const required = field.args.filter(({ type }) => isNonNullType(type));
  const optional = field.args.filter(({ type }) => !isNonNullType(type));
  const args = fc
    .subarray(optional)
    .chain((some) => fc.tuple(...[...required, ...some].map((argument) => argumentPart(argument, owner))))
    .map((parts) => together(parts, '(', ')'));
  const type = getNamedType(field.type);
  const subSelection = isCompositeType(type)
    ? selection(type as GraphQLObjectType, depth - 1)
    : fc.constant<Part>({ text: '', variables: [] });
  return fc
    .tuple(fc.constantFrom('', '', '', 'again: ', 'other: '), args, subSelection)
    .map(([alias, args, inner]) => ({
      text: `${alias}${field.name}${args.text}${inner.text}`,
      variables: [...args.variables, ...inner.variables],
    }));
}

function selection(type: GraphQLObjectType, depth: number): fc.Arbitrary<Part> {
  if (!isObjectType(type) && !isInterfaceType(type)) return fc.constant({ text: ' { __typename }', variables: [] });
  const fields = Object.values(type.getFields()).filter(
    (field) => depth > 0 || !isCompositeType(getNamedType(field.type)),
  );
  if (fields.length === 0) return fc.constant({ text: ' { __typename }', variables: [] });
  return fc
    .subarray(fields, { minLength: 1, maxLength: Math.min(fields.length, 5) })
    .chain((some) => fc.tuple(...some.map((field) => fieldPart(field, depth))))
    .map((parts) => together(parts, ' { ', ' }'));
}

function operations(kind: 'query' | 'mutation', root: GraphQLObjectType | null | undefined): fc.Arbitrary<FuzzRequest> {
  const fields = Object.values(root?.getFields() ?? {}).filter(({ name }) => !excludedFields.test(name));
  return fc
    .constantFrom(...fields)
    .chain((field) => fieldPart(field, 3).map((part) => ({ field, part })))
    .map(({ field, part: { text: inner, variables } }) => {
      const definitions = variables.map(({ definition }) => definition).join(', ');
      return {
        kind: 'graphql' as const,
        name: `${kind} ${field.name}`,
        query: `${kind}${definitions ? ` (${definitions})` : ''} { ${inner} }`,
        variables: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
      };
    });
}

/** Operations over every field of the schema, mostly well formed, with distinct texts. */
export const graphqlRequests: fc.Arbitrary<FuzzRequest> = fc.oneof(
  { weight: 3, arbitrary: operations('query', schema.getQueryType()) },
  { weight: 2, arbitrary: operations('mutation', schema.getMutationType()) },
);
