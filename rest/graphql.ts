import type { initGraphQLTada } from 'gql.tada';
import { type DocumentNode, Kind, parse } from 'graphql';
import type { introspection } from './schema-types.d.ts';

/** The types of gql.tada alone: the package itself belongs to the build, and brings a compiler along. */
type ReadDocument = ReturnType<
  typeof initGraphQLTada<{
    introspection: introspection;
    disableMasking: true;
    scalars: { DateTime: string; Date: string; JSON: unknown; Upload: File };
  }>
>;

/** Reads a GraphQL document with the fragments that it spreads, each once; its data and variables are typed by the schema. */
export const graphql = ((source: string, fragments: readonly DocumentNode[] = []): DocumentNode => {
  const { definitions } = parse(source, { noLocation: true });
  const spread = fragments.flatMap((fragment) => fragment.definitions);
  return { kind: Kind.DOCUMENT, definitions: [...new Set([...definitions, ...spread])] };
}) as ReadDocument;
