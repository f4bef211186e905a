import { initGraphQLTada } from 'gql.tada';
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

/** Reads a GraphQL document; its data and variables are typed by the schema. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  disableMasking: true;
  scalars: { DateTime: string; Date: string; Upload: File; TaskRecord: TaskRecord };
}>();
