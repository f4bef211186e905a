import type { ResultOf } from 'gql.tada';
import type { SyncedKind } from '../src/platform/entities.ts';
import { isId } from '../src/platform/ids.ts';
import { graphql } from './graphql.ts';

/** No role in a space decides about them. */
const withoutSpace = ['Operation', 'Webhook'] as const;

/** Named by `id`, or by `sectionId` within the project `id`. A workspace may have to have the member `userId`. */
export type Resource = (typeof withoutSpace)[number] | SyncedKind;

/** Whether a role in its space decides what the caller may change. */
export const needsRole = (type: Resource): type is SyncedKind => !withoutSpace.some((each) => each === type);

export const ResourceOfPath = graphql(
  'query ResourceOfPath($id: ID!) { node(id: $id) { __typename ... on Section { projectId } ... on Workspace { members { id } } } }',
);

export const AuthorOfPath = graphql(
  'query AuthorOfPath($id: ID!) { viewer { id } node(id: $id) { ... on Comment { authorId } } }',
);

export const WebhookOfPath = graphql('query WebhookOfPath($id: ID!) { viewer { webhooks(id: $id) { id } } }');

type LookUp = typeof ResourceOfPath | typeof AuthorOfPath | typeof WebhookOfPath;

type RunLookUp = (document: LookUp, variables: { id: string }) => Promise<unknown>;

/** Whether the caller sees it. */
export async function hasResource(
  type: Resource,
  { id = '', sectionId = id, userId }: Record<string, string>,
  run: RunLookUp,
): Promise<boolean> {
  if (type === 'Webhook') {
    const { viewer } = (await run(WebhookOfPath, { id })) as ResultOf<typeof WebhookOfPath>;
    return viewer?.webhooks.length === 1;
  }
  // Idempotency keys also name operations, but not for `node`.
  if (type === 'Operation' && !isId('Operation', id)) return true;
  const { node } = (await run(ResourceOfPath, { id: sectionId })) as ResultOf<typeof ResourceOfPath>;
  if (node?.__typename !== type) return false;
  if (node.__typename === 'Workspace') return userId === undefined || node.members.some((each) => each.id === userId);
  return node.__typename !== 'Section' || node.projectId === id;
}

/** Whether the caller is the author of a comment. */
export async function isAuthor({ id = '' }: Record<string, string>, run: RunLookUp): Promise<boolean> {
  const { viewer, node } = (await run(AuthorOfPath, { id })) as ResultOf<typeof AuthorOfPath>;
  return viewer !== null && node !== null && 'authorId' in node && node.authorId === viewer.id;
}
