import fc from 'fast-check';
import { randomEmail, randomName } from '../kit/random.ts';

type Fields = Record<string, fc.Arbitrary<unknown>>;

/** A request to a row. Texts such as `<task 1>` stand for what an account calls so (`parity-accounts.ts`). */
export interface ParityRequest {
  /** `guest`: the account by a session of its own, which may be ended. */
  as: 'user' | 'nobody' | 'guest';
  path: Record<string, string>;
  query: Record<string, unknown>;
  body: Record<string, unknown>;
}

/** What is sent to a row: each field may be missing. */
interface Inputs {
  as?: ParityRequest['as'];
  path?: Record<string, string[]>;
  query?: Fields;
  body?: Fields;
  /** A request that succeeds, tried first. */
  example: Partial<Omit<ParityRequest, 'as'>>;
  /** Fields that REST does not take null in, while GraphQL takes it and keeps the value. */
  nullKeeps?: string[];
  /** Other fields in which REST refuses what GraphQL takes: why. */
  narrower?: Record<string, string>;
}

const oneOf = (...values: unknown[]) => fc.constantFrom(...values);
const flag = fc.boolean();
const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => !/[\0<>]/.test(text));
const name = fc.oneof(oneOf('Home', ' Work ', 'Ärger & Co', '🦊', 'x'.repeat(255), 'x'.repeat(256), ' '), words);
const fresh = (kind: string) => fc.nat({ max: 1e9 }).map((number) => `${kind} ${number}`);
const colour = oneOf('blue', 'red', 'green', 'yellow', 'purple', 'orange', 'pink');

const tasks = ['<task 1>', '<task 2>', '<task 3>', '<task 4>'];
const strangeTasks = ['<their task>', '<no task>', '<tag 1>', 'nonsense'];
const projects = ['<inbox>', '<project 1>', '<project 2>', '<shared project>'];
const strangeProjects = ['<their project>', '<no project>', 'nonsense'];
const sections = ['<section 1>', '<section 2>', '<section 3>'];
const strangeSections = ['<their section>', '<no section>', 'nonsense'];
const tags = ['<tag 1>', '<tag 2>'];
const strangeTags = ['<their tag>', '<no tag>', 'nonsense'];

const list = (values: readonly string[]) => fc.array(oneOf(...values), { maxLength: 4 });
const separated = (values: readonly string[]) => list(values).map((ids) => ids.join(','));

const common: Fields = {
  priority: oneOf('high', 'medium', 'low', null),
  dueDate: oneOf('2031-01-31', '2032-02-29', '2031-02-29', '2031-1-1', null),
  dueTime: oneOf('2031-01-31T10:00:00Z', '2031-01-31T10:00:00+02:00', '2031-01-31T10:00', 'noon', null),
  isAllDay: oneOf(true, false, null),
  reminder: flag,
  tags: list([...tags, ...tags, ...tags, ...strangeTags]),
  projectId: oneOf(...projects, ...projects, ...strangeProjects, null),
  projectSectionId: oneOf(...sections, ...strangeSections, null),
};

const title = fc.oneof(name, oneOf('x'.repeat(500), 'x'.repeat(501)));
const description = fc.oneof(words, oneOf('', null));
const hex = oneOf('#abc', '#AABBCC', '#aabbccdd', '#ab', 'red', null);
const address = fc.oneof(oneOf('<email>', ' <EMAIL> ', 'nobody', 'a@b', '<often>'), fc.nat().map(freshAddress));

/** An address that both APIs ask about; the accounts differ in it only where codes and quotas are kept. */
function freshAddress(number: number) {
  return `<api>-${number}-${randomEmail()}`;
}

const noIds = 'an empty list selects nothing over GraphQL and is refused over REST';
const notOverRest = 'a preference that the contract does not let REST change';

/** For each row of the table how requests to it are made; a row without an entry fails the test. */
export const inputs: Record<string, Inputs> = {
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
  'POST /api/v1/user/password/send-otp': {
    as: 'nobody',
    body: { email: address },
    example: { body: { email: '<new>' } },
  },
  'POST /api/v1/user/password/reset': {
    as: 'nobody',
    body: {
      email: oneOf('<forgetful>', '<asked>'),
      code: oneOf('<reset code>', '<wrong reset code>', '12345'),
      password: words,
    },
    example: { body: { email: '<forgetful>', code: '<reset code>', password: 'correct horse' } },
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
    narrower: { automaticRemainder: notOverRest, digestTime: notOverRest },
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
    query: { tagIds: separated([...tags, ...strangeTags]), completed: oneOf('true', 'false') },
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
    query: { todoIds: separated([...tasks, ...tasks, ...strangeTasks]) },
    body: { ...common, completed: flag },
    example: { query: { todoIds: '<task 1>,<task 2>,<no task>' }, body: { priority: 'low', tags: ['<tag 2>'] } },
    narrower: { todoIds: noIds },
    nullKeeps: ['tags'],
  },
  'DELETE /api/v2/todo/bulk': {
    query: { todoIds: separated(['<doomed task>', ...strangeTasks]) },
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
    example: { path: { id: '<task 1>' }, body: { title: 'Water all plants', completed: true, dueDate: '2031-05-01' } },
    nullKeeps: ['tags'],
  },
  'DELETE /api/v2/todo/:id': {
    path: { id: ['<doomed task>', ...strangeTasks] },
    example: { path: { id: '<doomed task>' } },
  },
  'GET /api/v2/tag': {
    query: {
      search: fc.oneof(oneOf('e', '%'), words),
      ids: separated([...tags, ...strangeTags]),
      'ids[]': fc.array(oneOf(...tags), { minLength: 1, maxLength: 3 }),
      'ids[0]': oneOf(...tags),
    },
    example: { query: { 'ids[]': ['<tag 1>', '<tag 2>'] } },
  },
  'POST /api/v2/tag': {
    body: { name: fc.oneof(name, fresh('tag')), color: colour },
    example: { body: { name: randomName('tag'), color: 'pink' } },
    nullKeeps: ['color'],
  },
  'GET /api/v2/tag/count': { example: {} },
  'DELETE /api/v2/tag/bulk': {
    query: { tagIds: separated(['<doomed tag>', ...strangeTags]) },
    example: { query: { tagIds: '<doomed tag>,<no tag>' } },
    narrower: { tagIds: noIds },
  },
  'PATCH /api/v2/tag/:id': {
    path: { id: [...tags, ...tags, ...strangeTags] },
    body: { name: fc.oneof(name, fresh('tag')), color: colour },
    example: { path: { id: '<tag 1>' }, body: { name: randomName('tag'), color: 'green' } },
    nullKeeps: ['name', 'color'],
  },
  'GET /api/v2/changes': {
    query: { after: oneOf('<cursor>', '<cursor>', 'nonsense', ''), limit: oneOf('1', '3', '500', '0', '501', 'x') },
    example: { query: { after: '<cursor>', limit: '5' } },
  },
  'GET /api/v2/sync': {
    query: { after: oneOf('nonsense', ''), limit: oneOf('1', '3', '5000', '0', '5001', 'x') },
    example: { query: { limit: '5' } },
  },
};

/** Wrong in one field of query or body. */
export interface Mutation {
  place: 'query' | 'body';
  field: string;
  value: unknown;
}

const wrongTexts = [undefined, '', ' ', 'a\0b', 'x'.repeat(2000), 'nonsense'];
/** In lists of ids of a query, where no id is named by its place, a NUL has another path than over GraphQL. */
const listedIds = /^(tagIds|todoIds|ids(\[\d*\])?)$/;
const wrongValues = [...wrongTexts, null, 7, -1.5, true, [], ['nonsense'], {}, '\ud800'];

/** The requests to a row: those of its fields, and a mutation of one field for some of them. */
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
