import type { initGraphQLTada } from 'gql.tada';
import { type DocumentNode, Kind, parse } from 'graphql';
import type { introspection } from './schema-types.d.ts';

/** The package brings a compiler. */
type ReadDocument = ReturnType<
  typeof initGraphQLTada<{
    introspection: introspection;
    disableMasking: true;
    scalars: { DateTime: string; Date: string; JSON: unknown; Upload: File };
  }>
>;

/** Adds each fragment once. The schema types data and variables. */
export const graphql = ((source: string, fragments: readonly DocumentNode[] = []): DocumentNode => {
  const { definitions } = parse(source, { noLocation: true });
  const spread = fragments.flatMap((fragment) => fragment.definitions);
  return { kind: Kind.DOCUMENT, definitions: [...new Set([...definitions, ...spread])] };
}) as ReadDocument;
