import {
  type FieldNode,
  getNamedType,
  getNullableType,
  type GraphQLField,
  isCompositeType,
  isListType,
  valueFromASTUntyped,
} from 'graphql';
import type { Scans } from './builder.ts';

/** Uncoerced. */
export type Variables = Readonly<Record<string, unknown>>;

/** Of `first` and `last`; resolvers enforce it. */
const maxEntries = 500;

/** A `sync` batch may have a single kind. */
const largerPages: Readonly<Record<string, number>> = { 'Query.sync': 5_000 };
const defaultEntries = 50;

/** Of lists without pages. */
export const assumedListSizes: Readonly<Record<string, number>> = {
  'Query.workspaces': 3,
  'Query.projects': 10,
  'Query.tags': 20,
  'Workspace.members': 5,
  'Workspace.projects': 5,
  'Workspace.invitations': 2,
  'User.invitations': 2,
  'User.passkeys': 2,
  'User.sessions': 3,
  'User.accessTokens': 5,
  'User.providers': 2,
  'Project.sections': 4,
  'Task.reminders': 2,
  'Task.tags': 2,
  'Task.children': 2,
  '__Schema.types': 100,
  '__Schema.directives': 10,
  '__Directive.locations': 5,
  '__Directive.args': 2,
  '__Type.inputFields': 3,
  '__Type.enumValues': 2,
  '__Type.interfaces': 1,
  '__Type.possibleTypes': 1,
  '__Field.args': 2,
};
const assumedOtherwise = 10;

/** Many others share these objects. A list below repeats for each, so it counts as a full page. */
export const sharedObjects: ReadonlySet<string> = new Set([
  'Task.parent',
  'Task.project',
  'Task.section',
  'Section.project',
  'Project.workspace',
]);

/**
 * Scan of all candidate rows: an order or filter without an index, a search or a count. A list scans once at any depth.
 */
const scanCost = 5_000;

/** Their counts scan. */
export const countFields: ReadonlySet<string> = new Set(['TaskConnection.totalCount', 'Tag.taskCount']);

/**
 * Fields that cost more than their result: password hashes, mails, searches. One operation fits three to ten hashes or
 * mails, or forty searches, so aliases cannot bypass request limits (OWASP GraphQL Cheat Sheet).
 */
export const fieldCosts: Readonly<Record<string, number>> = {
  'Mutation.signUp': 60_000,
  'Mutation.signIn': 60_000,
  'Mutation.changePassword': 60_000,
  'Mutation.deleteAccount': 60_000,
  'Mutation.finishPasskeyRegistration': 20_000,
  'Mutation.finishPasskeySignIn': 20_000,
  'Mutation.confirmTotp': 20_000,
  'Mutation.disableTotp': 20_000,
  'Mutation.resetPassword': 60_000,
  'Mutation.requestEmailChange': 60_000,
  'Mutation.confirmEmailChange': 20_000,
  'Mutation.requestPasswordReset': 20_000,
  'Mutation.requestSignUpCode': 20_000,
  'Mutation.inviteToWorkspace': 20_000,
  'Mutation.updateProfile': 20_000,
  'Mutation.sendTestMail': 20_000,
  'Query.search': scanCost,
  'Query.digest': 5_000,
  'Query.nodes': 20,
  // Reads whole operations of up to 5,000 entities.
  'Task.history': 100,
  'Project.history': 100,
  'Operation.changes': 150,
  // Up to 16,384 characters.
  'Task.description': 1,
};

export interface FieldCost {
  /** Per object. */
  own: number;
  /** For any number of objects. */
  once: number;
  entries: number;
  /** `entries` is a page size, which the list directly below takes. */
  paged: boolean;
  /** Nothing in the document bounds the list. */
  unbounded: boolean;
}

/**
 * An object counts 1 and a value 0.1, times the sizes of the enclosing lists: `first` or `last`, the number of given
 * ids, or an assumed size.
 * @param isShared entries of an outer list share the parent
 * @param inPage the parent is a page (a connection)
 */
export function fieldCost(
  coordinate: string,
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  variables: Variables,
  { within, inPage, isShared }: { within: string; inPage: boolean; isShared: boolean },
): FieldCost {
  const own = fieldCosts[coordinate] ?? (isCompositeType(getNamedType(definition.type)) ? 1 : 0.1);
  const args = argumentsOf(field, variables);
  if (definition.args.some(({ name }) => name === 'first')) {
    const fallback = definition.args.find(({ name }) => name === 'first')?.defaultValue;
    const size = [args['first'], args['last'], fallback].find((value) => typeof value === 'number');
    const entries = Math.min(Math.max(size ?? defaultEntries, 1), largerPages[coordinate] ?? maxEntries);
    const { scans } = definition.extensions as { scans?: Scans };
    const once = scans?.(args) ? scanCost : 0;
    return { own, once, entries, paged: true, unbounded: false };
  }
  const { ids } = args;
  const isList = isListType(getNullableType(definition.type)) && !inPage;
  // A bulk mutation returns an object for each id.
  const isPayload = !isList && !inPage && Array.isArray(ids) && isCompositeType(getNamedType(definition.type));
  if (isPayload) return { own, once: 0, entries: ids.length, paged: true, unbounded: false };
  if (!isList) {
    const once = countFields.has(coordinate) ? scanCost : 0;
    return { own: own * (Array.isArray(ids) ? ids.length : 1), once, entries: 1, paged: false, unbounded: false };
  }
  // The first level of a recursive list counts for the whole tree.
  const size = isShared ? maxEntries : (assumedListSizes[coordinate] ?? assumedOtherwise);
  const assumed = coordinate === within ? 1 : size;
  const entries = Array.isArray(ids) ? ids.length : assumed;
  const unbounded = !Array.isArray(ids) && !coordinate.startsWith('__');
  return { own: own * entries, once: 0, entries, paged: false, unbounded };
}

const argumentsOf = ({ arguments: nodes = [] }: FieldNode, variables: Variables): Readonly<Record<string, unknown>> =>
  Object.fromEntries(nodes.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]));
