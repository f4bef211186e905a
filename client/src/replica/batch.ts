import type { Entity, Project, Section, Tag, Task, User, Workspace } from './entities.ts';
import { remove, type Table } from './tables.ts';

type Row<E extends Entity> = Omit<E, '__typename'>;

/** A batch of `sync` as it is sent (docs/realtime.md, Replicas). */
export interface Batch {
  readonly cursor: string;
  readonly full: boolean;
  readonly hasMore: boolean;
  readonly user: Row<User> | null;
  readonly workspaces: readonly Row<Workspace>[];
  readonly projects: readonly Row<Project>[];
  readonly sections: readonly Row<Section>[];
  readonly tags: readonly Row<Tag>[];
  readonly tasks: readonly (Omit<Row<Task>, 'tagIds'> & { readonly tags: readonly { readonly id: string }[] })[];
  readonly deleted: readonly { readonly id: string }[];
  /** Idempotency keys of the caller's own mutations whose effect it brings. */
  readonly mutations: readonly string[];
}

const fields = `{
  cursor full hasMore
  user { id name email image preferences { emailEnabled reminderBefore taskRemainders automaticRemainder dailyDigest digestTime timeZone } }
  workspaces { id name members { id name email image } }
  projects { id name slug isDefault viewMode workspaceId }
  sections { id name sortKey projectId }
  tags { id name color }
  tasks {
    id title description priority dueDate dueTime isAllDay completed completedAt color sortKey reminder createdAt updatedAt
    parentId projectId sectionId tags { id }
  }
  deleted { id }
  mutations
}`;

/** One batch, of `$first` entities at the most. */
export const syncQuery = `query Sync($after: String, $first: Int) { sync(after: $after, first: $first) ${fields} }`;
/** Batches, as things change. */
export const syncSubscription = `subscription SyncBatches($after: String) { sync(after: $after) ${fields} }`;

/** Brings a table to what a batch says: states first, then what is gone. */
export function applyBatch(table: Table, batch: Batch): void {
  if (batch.full) for (const id of [...table.ids()]) table.delete(id);
  for (const entity of entitiesOf(batch)) table.set(entity);
  for (const { id } of batch.deleted) remove(table, id);
}

function* entitiesOf({ user, workspaces, projects, sections, tags, tasks }: Batch): Iterable<Entity> {
  if (user) yield { __typename: 'User', ...user };
  for (const workspace of workspaces) yield { __typename: 'Workspace', ...workspace };
  for (const project of projects) yield { __typename: 'Project', ...project };
  for (const section of sections) yield { __typename: 'Section', ...section };
  for (const tag of tags) yield { __typename: 'Tag', ...tag };
  for (const { tags: carried, ...task } of tasks) {
    yield { __typename: 'Task', ...task, tagIds: carried.map(({ id }) => id).sort() };
  }
}
