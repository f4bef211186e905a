import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './schema-types.d.ts';

/** Reads a GraphQL document; its data and variables are typed by the schema. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  disableMasking: true;
  scalars: { DateTime: string; Date: string; Upload: File };
}>();
