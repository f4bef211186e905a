import { z } from 'zod';
import { text } from '../../src/platform/input.ts';
import { changesOf } from '../entity.ts';
import { graphql } from '../graphql.ts';
import { route } from '../route.ts';
import { count, idOf } from '../json-schema.ts';
import * as responses from './responses.ts';
import { filterIds, requiredIds } from './id-list.ts';
import { tag } from './entities.ts';

/** Contract, 4.5. */
const routes = [
  route({
    method: 'get',
    path: '/api/v2/tag',
    summary: 'Lists the tags by name, with their numbers of tasks',
    description:
      'With `search`, returns tags whose name contains it, ignoring case. With `ids`, returns only those tags.',
    input: z.object({
      query: z.object({ search: text().describe('Part of the name.').optional(), ids: filterIds.optional() }),
    }),
    document: graphql(
      'query ListTags($search: String, $ids: [ID!]) { tags(search: $search, ids: $ids) { ...TagFields taskCount } }',
      [tag.fragment],
    ),
    // An empty list does not filter.
    variables: ({ query: { search, ids = [] } }) => ({ search, ...(ids.length > 0 && { ids }) }),
    response: z.object({ tags: z.array(responses.countedTag) }),
    reply: (data) => ({
      tags: data.tags.map(({ taskCount, ...own }) => ({ ...tag.show(own), _count: { todos: taskCount } })),
    }),
  }),
  route({
    method: 'post',
    path: '/api/v2/tag',
    summary: 'Creates a tag',
    description: 'Names are unique for each account. Without `color` a random one is chosen.',
    input: z.object({ body: z.object(tag.body('create')) }),
    document: tag.mutation('create', tag.fragment, {}),
    status: 201,
    response: z.object({ msg: z.literal('todo added sucessfully'), tag: responses.tag }),
    reply: (data) => ({ msg: 'todo added sucessfully' as const, tag: tag.show(data.createTag) }),
  }),
  route({
    method: 'get',
    path: '/api/v2/tag/count',
    summary: 'Counts the tags',
    description: 'Counts the tags of the caller.',
    document: graphql('query CountTags { tagCount }'),
    response: z.object({ count: count().describe('Number of tags of the caller.') }),
    reply: ({ tagCount }) => ({ count: tagCount }),
  }),
  route({
    method: 'delete',
    path: '/api/v2/tag/bulk',
    summary: 'Deletes tags and removes them from all tasks',
    description: 'Ids of tags that do not exist are skipped.',
    input: z.object({ query: z.object({ tagIds: requiredIds }) }),
    names: { ids: 'tagIds' },
    document: graphql('mutation DeleteTags($ids: [ID!]!) { deleteTags(ids: $ids) { count } }'),
    variables: ({ query }) => ({ ids: query.tagIds }),
    response: z.object({ deletedCount: count().describe('Number of deleted tags.') }),
    reply: ({ deleteTags }) => ({ deletedCount: deleteTags.count }),
  }),
  route({
    method: 'patch',
    path: '/api/v2/tag/:id',
    summary: 'Changes name and colour of a tag',
    description: 'At least one of `name` and `color` is required.',
    input: z.object({ path: z.object({ id: idOf('Tag') }), body: changesOf(tag.body('update')) }),
    resource: 'Tag',
    document: tag.mutation('update', tag.fragment, {}),
    response: z.object({ tag: responses.tag }),
    reply: ({ updateTag }) => ({ tag: tag.show(updateTag) }),
  }),
];

export const tags = { shown: tag, routes };
