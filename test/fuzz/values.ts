import fc from 'fast-check';
import { entities, type EntityKind, entityKinds } from '../../src/platform/entities.ts';

/** A placeholder for the id of an entity that exists when the request is sent. */
export class IdOf {
  readonly entity: EntityKind;
  readonly place: number;
  readonly prefix: string;

  constructor(entity: EntityKind, place: number, prefix = '') {
    this.entity = entity;
    this.place = place;
    this.prefix = prefix;
  }
}

/** Usually an existing id of the entity, sometimes another entity's id or an unknown one. */
const idOf = (entity: EntityKind): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.nat().map((place) => new IdOf(entity, place)) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...entityKinds), fc.nat()).map(([of, place]) => new IdOf(of, place)),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        `${entities[entity].prefix}_01h455vb4pex5vsknk084sn02q`,
        '',
        'x',
        '%',
        '\u0000',
        '\ud800',
      ),
    },
  );

const hostileTexts = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  "'; DROP TABLE tasks; --",
  '%_\\',
  '__proto__',
  '\u202e',
  'x'.repeat(600),
  '💥'.repeat(300),
  'word '.repeat(4000),
  '{"a":1}',
  '../../etc/passwd',
  '<script>',
  '\r\nSet-Cookie: a=b',
  '𝒳'.repeat(17_000),
];

const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 1, maxLength: 30 }) },
  { weight: 2, arbitrary: fc.lorem({ maxCount: 8 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 50 }) },
  { weight: 1, arbitrary: fc.constantFrom(...hostileTexts) },
);

const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

export const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21, 2 ** 31, [], {}, [[]], [null]),
  fc.constantFrom(...hostileTexts),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
  fc.constant(Array.from({ length: 2000 }, (_, index) => index)),
);

const colors = ['blue', 'red', 'green', 'yellow', 'purple', 'orange', 'pink'];
const email = fc.constantFrom('nobody@example.com', 'not an address', `${'x'.repeat(250)}@example.com`);
const listOf = (each: fc.Arbitrary<unknown>) => fc.array(each, { maxLength: 8 });

/** Values by the name of a field, argument or parameter. */
const byName: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  tags: listOf(idOf('Tag')),
  tagIds: listOf(idOf('Tag')),
  todoIds: listOf(idOf('Task')),
  projectId: idOf('Project'),
  inProjectId: idOf('Project'),
  projectIds: listOf(idOf('Project')),
  projectSectionId: idOf('Section'),
  sectionId: idOf('Section'),
  parentId: idOf('Task'),
  workspaceId: idOf('Workspace'),
  taskId: idOf('Task'),
  taskIds: listOf(idOf('Task')),
  userId: idOf('User'),
  assigneeId: idOf('User'),
  assigneeIds: listOf(idOf('User')),
  addAssigneeIds: listOf(idOf('User')),
  removeAssigneeIds: listOf(idOf('User')),
  // Of a comment: one in two is a mention.
  text: fc.oneof(
    text,
    fc.nat().map((place) => new IdOf('User', place, '@')),
  ),
  after: fc.oneof(idOf('Task'), text),
  before: fc.oneof(idOf('Task'), text),
  dueDate: day.map((moment) => moment.slice(0, 10)),
  dueBefore: day.map((moment) => moment.slice(0, 10)),
  dueAfter: day.map((moment) => moment.slice(0, 10)),
  dueTime: day,
  color: fc.constantFrom('#fff', '#12345678', ...colors),
  email,
  sortKey: fc.constantFrom('a0', 'Zz', 'z'.repeat(26), '~', ' ', 'a0V'),
  prevIndex: fc.constantFrom(null, 'a0', 'a1', 'zz'),
  nextIndex: fc.constantFrom(null, 'a0', 'a1', 'zz'),
  first: fc.constantFrom(0, 1, 5, 50, 500, 501, -1),
  last: fc.constantFrom(0, 1, 5, 50, 500, 501, -1),
  limit: fc.constantFrom('1', '100', '500', '0', 'x'),
  completed: fc.constantFrom(true, false, 'true', 'false'),
};

/** Values for a name, if it is known. @param owner entity of `id` and `ids` */
export function valuesNamed(name: string, owner: EntityKind | undefined): fc.Arbitrary<unknown> | undefined {
  if (name === 'id' && owner) return idOf(owner);
  if (name === 'ids') return listOf(owner ? idOf(owner) : fc.constantFrom(...entityKinds).chain(idOf));
  return Object.hasOwn(byName, name) ? byName[name] : undefined;
}

export const usually = (validValue: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 14, arbitrary: validValue }, { weight: 1, arbitrary: anything });

export { text };
