import type { ResultOf } from 'gql.tada';
import type { SyncedKind } from '../src/platform/entities.ts';
import { isId } from '../src/platform/ids.ts';
import { graphql } from './graphql.ts';

/** No role in a space decides about them. */
const withoutSpace = ['Operation', 'Webhook'] as const;

/** Named by `id`, or by `sectionId` within the project `id`. */
export type Resource = (typeof withoutSpace)[number] | SyncedKind;

/** Whether a role in its space decides what the caller may change. */
export const needsRole = (type: Resource): type is SyncedKind => !withoutSpace.some((each) => each === type);

export const ResourceOfPath = graphql(
  'query ResourceOfPath($id: ID!) { node(id: $id) { __typename ... on Section { projectId } } }',
);

export const WebhookOfPath = graphql('query WebhookOfPath($id: ID!) { viewer { webhooks(id: $id) { id } } }');

type LookUp = typeof ResourceOfPath | typeof WebhookOfPath;

/** Whether the caller sees it. */
export async function hasResource(
  type: Resource,
  { id = '', sectionId = id }: Record<string, string>,
  run: (document: LookUp, variables: { id: string }) => Promise<unknown>,
): Promise<boolean> {
  if (type === 'Webhook') {
    const { viewer } = (await run(WebhookOfPath, { id })) as ResultOf<typeof WebhookOfPath>;
    return viewer?.webhooks.length === 1;
  }
  // Idempotency keys also name operations, but not for `node`.
  if (type === 'Operation' && !isId('Operation', id)) return true;
  const { node } = (await run(ResourceOfPath, { id: sectionId })) as ResultOf<typeof ResourceOfPath>;
  return node?.__typename === type && (node.__typename !== 'Section' || node.projectId === id);
}
