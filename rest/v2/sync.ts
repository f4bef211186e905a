import type { ResultOf } from 'gql.tada';
import { z } from 'zod';
import { graphql } from '../graphql.ts';
import { lower } from '../entity.ts';
import { sentAs } from '../json-schema.ts';
import { type Caller, route } from '../route.ts';
import * as responses from './responses.ts';
import { ProfileFields } from '../v1/profile.ts';
import { ProjectFields, section, tag, toProject } from './entities.ts';
import { WorkspaceFields } from './workspaces.ts';
import { TaskWithTags, toTodoWithTags } from './task-shape.ts';

const BatchFields = graphql(
  `
    fragment BatchFields on SyncBatch {
      cursor
      full
      hasMore
      user {
        ...ProfileFields
      }
      workspaces {
        ...WorkspaceFields
      }
      projects {
        ...ProjectOfRest
        workspaceId
      }
      sections {
        ...SectionFields
      }
      tags {
        ...TagFields
      }
      tasks {
        ...TaskWithTags
      }
      deleted {
        type
        id
      }
      mutations
    }
  `,
  [ProfileFields, WorkspaceFields, ProjectFields, section.fragment, tag.fragment, TaskWithTags],
);

/** What a replica lacks since a cursor, and then what changes. */
export const SyncStream = graphql(
  `
    subscription SyncEvents($after: String) {
      sync(after: $after) {
        ...BatchFields
      }
    }
  `,
  [BatchFields],
);

/** A batch as REST shows it: each entity as its list does, the task without its subtasks, the tag without its count. */
export const toBatch = (batch: ResultOf<typeof BatchFields>, caller: Caller) => ({
  ...batch,
  projects: batch.projects.map(({ workspaceId, ...project }) => ({ ...toProject(project), workspaceId })),
  tags: batch.tags.map(tag.show),
  tasks: batch.tasks.map((task) => toTodoWithTags(task, caller)),
  deleted: batch.deleted.map(({ type, id }) => ({ type: lower(type), id })),
});

const after = z.string().describe('Cursor of the last batch that was applied; without one, a first load begins.');
const limit = sentAs(
  z
    .string()
    .regex(/^\d{1,4}$/, { error: 'must be a whole number from 1 to 5,000' })
    .transform(Number),
  { type: 'integer', minimum: 1, maximum: 5000, default: 500, description: 'Maximum number of entities.' },
);

/** Contract decisions, realtime: sync. */
export const sync = [
  route({
    method: 'get',
    path: '/api/v2/sync',
    summary: 'Brings a replica of all that the caller may see on, from a cursor or from nothing',
    description:
      'Start without a cursor, apply the batch, and go on from its cursor until `hasMore` is false. With `Accept: text/event-stream` batches follow as they are made.',
    input: z.object({ query: z.object({ after: after.optional(), limit: limit.optional() }) }),
    names: { first: 'limit' },
    events: {
      event: 'batch',
      data: responses.syncBatch,
      description: 'First what is lacking, then what changes; the id of each event is its cursor.',
    },
    document: graphql(
      `
        query Sync($after: String, $first: Int) {
          sync(after: $after, first: $first) {
            ...BatchFields
          }
        }
      `,
      [BatchFields],
    ),
    variables: ({ query }) => ({ after: query.after ?? null, first: query.limit ?? 500 }),
    errors: ['CURSOR_EXPIRED'],
    isAddition: true,
    answer: responses.syncBatch,
    reply: (data, caller) => toBatch(data.sync, caller),
  }),
];
