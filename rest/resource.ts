import type { ResultOf } from 'gql.tada';
import { graphql } from './graphql.ts';

/** What a path names last: its `id`, or its `sectionId`, which must be in the project of its `id`. */
export type Resource = 'Project' | 'Section' | 'Tag' | 'Task';

export const ResourceOfPath = graphql(`
  query ResourceOfPath($id: ID!) {
    node(id: $id) {
      __typename
      ... on Section {
        projectId
      }
    }
  }
`);

/**
 * Whether it exists and the caller may see it.
 * @param run runs the document as the caller
 */
export async function hasResource(
  type: Resource,
  { id = '', sectionId = id }: Record<string, string>,
  run: (document: typeof ResourceOfPath, variables: { id: string }) => Promise<unknown>,
): Promise<boolean> {
  const { node } = (await run(ResourceOfPath, { id: sectionId })) as ResultOf<typeof ResourceOfPath>;
  return node?.__typename === type && (node.__typename !== 'Section' || node.projectId === id);
}
