import fc from 'fast-check';
import { randomName } from '../kit/random.ts';
import { additions } from './parity-additions.ts';
import {
  address,
  colour,
  common,
  description,
  flag,
  freshName,
  hex,
  type Inputs,
  name,
  noIds,
  restOmission,
  oneOf,
  type ParityRequest,
  projects,
  sections,
  commaSeparated,
  strangeProjects,
  strangeSections,
  strangeTags,
  strangeTasks,
  tags,
  tasks,
  title,
  words,
} from './parity-values.ts';

export type { ParityRequest } from './parity-values.ts';

/** Inputs of each row. A row without inputs fails the test. */
export const inputs: Record<string, Inputs> = {
  ...additions,
  'POST /api/v1/auth/:provider/link': {
    path: { provider: ['other', 'unknown'] },
    body: { returnTo: oneOf('/', '/today?x=1#y', '//evil.example', 'today') },
    example: { path: { provider: 'other' }, body: {} },
    nullKeeps: ['returnTo'],
  },
  'POST /api/v1/user/signup/send-otp': {
    as: 'nobody',
    body: { email: address },
    example: { body: { email: '<new>' } },
  },
  'POST /api/v1/user/signup/verify': {
    as: 'nobody',
    body: { email: oneOf('<email>', '<asked>'), code: oneOf('<code>', '<wrong code>', '12345'), password: words },
    example: { body: { email: '<asked>', code: '<code>', password: 'correct horse' } },
  },
  'POST /api/v1/user/signin': {
    as: 'nobody',
    body: { email: oneOf('<email>', ' <EMAIL>', 'nobody@example.com', ''), password: oneOf('<password>', 'wrong', '') },
    example: { body: { email: '<email>', password: '<password>' } },
  },
  'GET /api/v1/auth-check': { example: {} },
  'POST /api/v1/user/logout': { as: 'guest', example: {} },
  'GET /api/v1/user/profile': { example: {} },
  'POST /api/v1/user/profile': {
    body: { name, image: oneOf('<picture>', '<no picture>') },
    example: { body: { name: 'Anna', image: '<picture>' } },
  },
  'PUT /api/v1/user/name': { body: { name }, example: { body: { name: ' Anna ' } } },
  'PUT /api/v1/user/password': {
    body: {
      currentPassword: oneOf('<password>', '<password>', 'wrong', null),
      newPassword: oneOf('first password', '🔑'.repeat(1024)),
      confirmNewPassword: oneOf('first password', '🔑'.repeat(1024)),
    },
    example: { body: { currentPassword: '<password>', newPassword: 'second', confirmNewPassword: 'second' } },
  },
  'GET /api/v1/user/user-preferences': { example: {} },
  'PUT /api/v1/user/user-preferences': {
    body: {
      emailEnabled: flag,
      reminderBefore: oneOf(0, 30, 40_320, 40_321, -1, 1.5),
      taskRemainders: flag,
      dailyDigest: flag,
    },
    example: { body: { emailEnabled: false, reminderBefore: 15 } },
    narrower: { automaticRemainder: restOmission, digestTime: restOmission },
  },
  'GET /api/v2/projects': { example: {} },
  'GET /api/v2/projects/inbox': { example: {} },
  'GET /api/v2/projects/personal': {
    query: { search: fc.oneof(oneOf('o', 'IN', '%', '_', '\\', ''), words) },
    example: { query: { search: 'inb' } },
  },
  'POST /api/v2/projects': {
    body: {
      name,
      personal: flag,
      workspaceId: oneOf('<workspace>', '<their workspace>', '<no workspace>', 'nonsense'),
    },
    example: { body: { name: 'Garden', personal: true } },
    narrower: {
      personal: 'GraphQL has no such argument: without a workspace the project is personal',
      workspaceId: 'without a workspace the project is personal over GraphQL',
    },
  },
  'GET /api/v2/projects/:id': {
    path: { id: [...projects, ...strangeProjects] },
    example: { path: { id: '<project 1>' } },
  },
  'PUT /api/v2/projects/:id': {
    path: { id: [...projects, ...projects, ...strangeProjects] },
    body: {
      name,
      taskDisplayPreferences: oneOf({ viewMode: 'list' }, { viewMode: 'board' }, { viewMode: 'calendar' }),
    },
    example: { path: { id: '<project 1>' }, body: { name: 'Garden', taskDisplayPreferences: { viewMode: 'board' } } },
    narrower: { taskDisplayPreferences: 'GraphQL has the view mode itself as an argument' },
    nullKeeps: ['name'],
  },
  'DELETE /api/v2/projects/:id': {
    path: { id: ['<doomed project>', '<inbox>', ...strangeProjects] },
    example: { path: { id: '<doomed project>' } },
  },
  'GET /api/v2/projects/:id/sections': {
    path: { id: [...projects, ...strangeProjects] },
    example: { path: { id: '<project 1>' } },
  },
  'POST /api/v2/projects/:id/sections': {
    path: { id: [...projects, ...projects, ...strangeProjects] },
    body: { name },
    example: { path: { id: '<project 1>' }, body: { name: 'Later' } },
  },
  'PATCH /api/v2/projects/:id/sections/:sectionId': {
    path: {
      id: ['<project 1>', '<project 1>', '<project 2>', '<their project>'],
      sectionId: [...sections, ...sections, ...strangeSections],
    },
    body: {
      name,
      prevIndex: oneOf('<key 1>', '<key 2>', 'zz', null),
      nextIndex: oneOf('<key 1>', '<key 2>', 'a0', null),
      projectId: oneOf('<project 1>', '<project 2>', '<their project>', 'nonsense'),
    },
    example: { path: { id: '<project 1>', sectionId: '<section 1>' }, body: { name: 'Now', prevIndex: '<key 2>' } },
    nullKeeps: ['name', 'projectId'],
  },
  'DELETE /api/v2/projects/:id/sections/:sectionId': {
    path: { id: ['<project 1>', '<project 2>'], sectionId: ['<doomed section>', ...strangeSections] },
    example: { path: { id: '<project 1>', sectionId: '<doomed section>' } },
  },
  'GET /api/v2/todo': {
    query: { tagIds: commaSeparated([...tags, ...strangeTags]), completed: oneOf('true', 'false') },
    example: { query: { tagIds: '<tag 1>' } },
    narrower: { completed: 'GraphQL takes a boolean, which no text becomes by itself' },
  },
  'POST /api/v2/todo': {
    body: {
      ...common,
      title,
      description,
      color: hex,
      reminder: oneOf(true, false, null),
      parentId: oneOf(...tasks, ...strangeTasks, null),
    },
    example: { body: { title: 'Water plants', tags: ['<tag 1>'], projectId: '<project 1>', priority: 'high' } },
    narrower: { projectId: 'a section needs its project beside it over REST' },
  },
  'GET /api/v2/todo/search': {
    query: { q: fc.oneof(oneOf('plants', 'plnats', 'tas', 'x'.repeat(501)), words) },
    example: { query: { q: 'water' } },
  },
  'PATCH /api/v2/todo/bulk': {
    query: { todoIds: commaSeparated([...tasks, ...tasks, ...strangeTasks]) },
    body: { ...common, completed: flag },
    example: { query: { todoIds: '<task 1>,<task 2>,<no task>' }, body: { priority: 'low', tags: ['<tag 2>'] } },
    narrower: { todoIds: noIds },
    nullKeeps: ['tags'],
  },
  'DELETE /api/v2/todo/bulk': {
    query: { todoIds: commaSeparated(['<doomed task>', ...strangeTasks]) },
    example: { query: { todoIds: '<doomed task>,<doomed task>,<no task>' } },
    narrower: { todoIds: noIds },
  },
  'PATCH /api/v2/todo/:id': {
    path: { id: [...tasks, ...tasks, ...tasks, ...strangeTasks] },
    body: {
      ...common,
      title,
      description,
      completed: flag,
      color: hex,
      sortKey: oneOf('a0', 'Zz', ' ', '~~~', '', 'ä'),
    },
    // An earlier row may have made the task repeat: a completion or another date would take more statements.
    example: { path: { id: '<task 1>' }, body: { title: 'Water all plants', priority: 'high' } },
    nullKeeps: ['tags'],
  },
  'DELETE /api/v2/todo/:id': {
    path: { id: ['<doomed task>', ...strangeTasks] },
    example: { path: { id: '<doomed task>' } },
  },
  'GET /api/v2/tag': {
    query: {
      search: fc.oneof(oneOf('e', '%'), words),
      ids: commaSeparated([...tags, ...strangeTags]),
      'ids[]': fc.array(oneOf(...tags), { minLength: 1, maxLength: 3 }),
      'ids[0]': oneOf(...tags),
    },
    example: { query: { 'ids[]': ['<tag 1>', '<tag 2>'] } },
  },
  'POST /api/v2/tag': {
    body: { name: fc.oneof(name, freshName('tag')), color: colour },
    example: { body: { name: randomName('tag'), color: 'pink' } },
    nullKeeps: ['color'],
  },
  'GET /api/v2/tag/count': { example: {} },
  'DELETE /api/v2/tag/bulk': {
    query: { tagIds: commaSeparated(['<doomed tag>', ...strangeTags]) },
    example: { query: { tagIds: '<doomed tag>,<no tag>' } },
    narrower: { tagIds: noIds },
  },
  'PATCH /api/v2/tag/:id': {
    path: { id: [...tags, ...tags, ...strangeTags] },
    body: { name: fc.oneof(name, freshName('tag')), color: colour },
    example: { path: { id: '<tag 1>' }, body: { name: randomName('tag'), color: 'green' } },
    nullKeeps: ['name', 'color'],
  },
  'POST /api/v2/operations/:id/undo': {
    path: { id: ['<deletion>', 'op_x', '<task 1>'] },
    body: { dryRun: oneOf(true, false) },
    example: { path: { id: '<deletion>' }, body: {} },
    nullKeeps: ['dryRun'],
  },
  'GET /api/v2/trash': {
    query: { after: oneOf('nonsense', ''), limit: oneOf('1', '500', '0', '501', 'x') },
    example: { query: { limit: '5' } },
  },
  'POST /api/v2/trash/restore': {
    body: { ids: fc.array(oneOf('<deleted task>', ...strangeTasks), { maxLength: 2 }) },
    example: { body: { ids: ['<deleted task>'] } },
  },
  'GET /api/v2/todo/:id/history': {
    path: { id: ['<task 1>', ...strangeTasks] },
    query: { after: oneOf('nonsense', ''), limit: oneOf('1', '500', '0', '501', 'x') },
    example: { path: { id: '<task 1>' }, query: { limit: '5' } },
  },
};

export interface Mutation {
  place: 'query' | 'body';
  field: string;
  value: unknown;
}

const wrongTexts = [undefined, '', ' ', 'a\0b', 'x'.repeat(2000), 'nonsense'];
/** Lists of ids in queries: the path of a NUL differs from GraphQL, which names the index. */
const listedIds = /^(tagIds|todoIds|ids(\[\d*\])?)$/;
const wrongValues = [...wrongTexts, null, 7, -1.5, true, [], ['nonsense'], {}, '\ud800'];

export function requestsOf({ as = 'user', path = {}, query = {}, body = {} }: Inputs, isForm: boolean) {
  const texts = Object.fromEntries(Object.entries(path).map(([field, values]) => [field, oneOf(...values)]));
  const fields = [
    ...Object.keys(query).map((field) => ({ place: 'query' as const, field })),
    ...Object.keys(body).map((field) => ({ place: 'body' as const, field })),
  ];
  const values = { query: oneOf(...wrongTexts), body: oneOf(...(isForm ? wrongTexts : wrongValues)) };
  const mutations = fields.map(({ place, field }) =>
    values[place]
      .filter((value) => !(place === 'query' && value === 'a\0b' && listedIds.test(field)))
      .map((value): Mutation => ({ place, field, value })),
  );
  const request = fc.record({
    as: as === 'user' ? fc.oneof({ weight: 9, arbitrary: fc.constant(as) }, fc.constant('nobody' as const)) : oneOf(as),
    path: fc.record(texts),
    query: fc.record(query, { requiredKeys: [] }),
    body: fc.record(body, { requiredKeys: [] }),
  }) as fc.Arbitrary<ParityRequest>;
  return {
    request,
    mutation: mutations.length > 0 ? fc.option(fc.oneof(...mutations), { nil: undefined }) : fc.constant(undefined),
  };
}
