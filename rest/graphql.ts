import type { initGraphQLTada } from 'gql.tada';
import { type DocumentNode, Kind, parse } from 'graphql';
import type { introspection } from './schema-types.d.ts';

/** What REST shows of a task is read from, whether it comes by the fields of a document or as one scalar. */
export interface TaskRecord {
  id: string;
  title: string;
  description: string | null;
  priority: 'HIGH' | 'MEDIUM' | 'LOW' | null;
  dueDate: string | null;
  dueTime: string | null;
  isAllDay: boolean | null;
  completed: boolean;
  completedAt: string | null;
  color: string | null;
  sortKey: string;
  reminder: boolean;
  parentId: string | null;
  projectId: string;
  sectionId: string | null;
  tags: { id: string; name: string; color: string }[];
}

/** The types of gql.tada alone: the package itself belongs to the build, and brings a compiler along. */
type ReadDocument = ReturnType<
  typeof initGraphQLTada<{
    introspection: introspection;
    disableMasking: true;
    scalars: { DateTime: string; Date: string; Upload: File; TaskRecord: TaskRecord };
  }>
>;

/** Reads a GraphQL document with the fragments that it spreads, each once; its data and variables are typed by the schema. */
export const graphql = ((source: string, fragments: readonly DocumentNode[] = []): DocumentNode => {
  const { definitions } = parse(source, { noLocation: true });
  const spread = fragments.flatMap((fragment) => fragment.definitions);
  return { kind: Kind.DOCUMENT, definitions: [...new Set([...definitions, ...spread])] };
}) as ReadDocument;
