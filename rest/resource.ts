import type { ResultOf } from 'gql.tada';
import type { SyncedKind } from '../src/platform/entities.ts';
import { isId } from '../src/platform/ids.ts';
import { graphql } from './graphql.ts';

/** Named by `id`, or by `sectionId` within the project `id`. */
export type Resource = 'Operation' | SyncedKind;

export const ResourceOfPath = graphql(
  'query ResourceOfPath($id: ID!) { node(id: $id) { __typename ... on Section { projectId } } }',
);

/** Whether the caller sees it. */
export async function hasResource(
  type: Resource,
  { id = '', sectionId = id }: Record<string, string>,
  run: (document: typeof ResourceOfPath, variables: { id: string }) => Promise<unknown>,
): Promise<boolean> {
  // Idempotency keys also name operations, but not for `node`.
  if (type === 'Operation' && !isId('Operation', id)) return true;
  const { node } = (await run(ResourceOfPath, { id: sectionId })) as ResultOf<typeof ResourceOfPath>;
  return node?.__typename === type && (node.__typename !== 'Section' || node.projectId === id);
}
