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

/** What a client sent for the operation's variables, not yet coerced. */
export type Variables = Readonly<Record<string, unknown>>;

/** The schema's own maximum of `first` and `last`, but for {@link largerPages}; more is refused where the argument is read. */
const maxEntries = 500;

/** Fields whose `first` may be larger, and how large. Of a batch of `sync` any kind of entity may be all. */
const largerPages: Readonly<Record<string, number>> = { 'Query.sync': 5_000 };
const defaultEntries = 50;

/** Entries to expect of a list that has no pages, by coordinate (`Type.field`). */
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

/** Fields to one object that many share. A list below it is repeated for each of them, and so counted as long as a page can be. */
export const sharedObjects: ReadonlySet<string> = new Set([
  'Task.parent',
  'Task.project',
  'Task.section',
  'Section.project',
  'Project.workspace',
]);

/**
 * To go through all rows of an account that a list could show: for an order or a filter without an index, a search, a count. Each
 * of them is read once for a list, whatever it is below.
 */
const scanCost = 5_000;

/** Counts, for each of which rows are gone through. */
export const countFields: ReadonlySet<string> = new Set(['TaskConnection.totalCount', 'Tag.taskCount']);

/**
 * Fields that cost more than the object they answer: a password to hash, a mail to send, words to look
 * for. At these costs one operation can hold three to ten of the first two and forty of the last, so
 * that aliases get nobody around the limits per request (OWASP GraphQL Cheat Sheet, batching attacks).
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
  // An operation is kept as rows of up to 5,000 entities, which are read whole.
  'Task.history': 100,
  'Project.history': 100,
  'Operation.changes': 150,
  // Texts of up to 16,384 characters.
  'Task.description': 1,
};

/** What a field adds to the cost of an operation. */
export interface FieldCost {
  /** Of the field itself, once per object. */
  own: number;
  /** Of the field itself, once for any number of objects. */
  once: number;
  /** How many objects are below it. */
  entries: number;
  /** Whether those are the entries of a page, so that lists directly below have no others. */
  paged: boolean;
  /** Whether it is a list whose length nothing in the document bounds. */
  unbounded: boolean;
}

/**
 * Estimates a field: an object counts 1, a value 0.1, each as often as the lists around it have entries.
 * Of a list with pages these are `first` or `last`, of one of given ids the ids, of another what is assumed.
 * @param within coordinate of the field around it
 * @param isShared whether the list is below an object that the entries of an outer list share
 * @param inPage whether the field is directly in what returns a page (`nodes` of a connection)
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
  // The payload of a bulk mutation lists its objects: like a page with that number of entries.
  const isPayload = !isList && !inPage && Array.isArray(ids) && isCompositeType(getNamedType(definition.type));
  if (isPayload) return { own, once: 0, entries: ids.length, paged: true, unbounded: false };
  if (!isList) {
    const once = countFields.has(coordinate) ? scanCost : 0;
    return { own: own * (Array.isArray(ids) ? ids.length : 1), once, entries: 1, paged: false, unbounded: false };
  }
  // A tree does not grow by being counted level by level: the first level counts for all of it.
  const size = isShared ? maxEntries : (assumedListSizes[coordinate] ?? assumedOtherwise);
  const assumed = coordinate === within ? 1 : size;
  const entries = Array.isArray(ids) ? ids.length : assumed;
  const unbounded = !Array.isArray(ids) && !coordinate.startsWith('__');
  return { own: own * entries, once: 0, entries, paged: false, unbounded };
}

/** The arguments of a field as a client gave them. */
const argumentsOf = ({ arguments: given = [] }: FieldNode, variables: Variables): Readonly<Record<string, unknown>> =>
  Object.fromEntries(given.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]));
