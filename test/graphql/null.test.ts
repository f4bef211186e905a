import { beforeAll, describe, expect, test } from '@jest/globals';
import { type GraphQLInputObjectType, type GraphQLObjectType, isNonNullType } from 'graphql';
import { schema } from '../../src/schema.ts';
import { fieldSamples } from '../kit/task-fields.ts';
import { makeProject, makeSection, makeTag, makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

const inputFields = (name: string) => Object.keys((schema.getType(name) as GraphQLInputObjectType).getFields());

function isAlwaysThere(type: string, field: string): boolean {
  const found = (schema.getType(type) as GraphQLObjectType).getFields()[field];
  return found !== undefined && isNonNullType(found.type);
}

/** A task always has a project and a list of assignees. Null means the inbox, and nobody. */
const isClearedByNull = (type: string) => (field: string) =>
  ['projectId', 'assigneeIds'].includes(field) || !isAlwaysThere(type, field);

/** Null is the same as an absent argument. */
const isNoField = (name: string) => ['completedOn', 'addAssigneeIds', 'removeAssigneeIds'].includes(name);

const taskSelection =
  'title description priority dueDate dueTime isAllDay completed color reminder sortKey parentId projectId sectionId tags { id } recurrence { rule } assigneeIds';

describe('null for a field of an update', () => {
  let service: Service;
  let anna: User;
  beforeAll(async () => {
    service = await sharedService();
    anna = await signUp(service);
  });

  /** It has a parent only if that is tested, because a subtask stays in its parent's project. */
  async function makeFullTask(field?: string): Promise<string> {
    const [project, tag] = [await makeProject(anna), await makeTag(anna)];
    const section = await makeSection(anna, project.id);
    const parent = await makeTask(anna, { projectId: project.id });
    const { id } = await makeTask(anna, {
      projectId: project.id,
      ...(field === 'parentId' && { parentId: parent.id }),
      projectSectionId: section.id,
      tags: [tag.id],
      ...{ description: 'd', priority: 'high', dueDate: '2031-01-01', color: '#abc', reminder: true },
      ...{ isAllDay: false, dueTime: '2031-01-01T10:00:00.000Z' },
    });
    if (field === 'assigneeIds') await anna.put(`/api/v2/todo/${id}/assignees/${anna.id}`);
    if (field === 'recurrence') await anna.put(`/api/v2/todo/${id}/recurrence`, { rule: 'FREQ=DAILY' });
    return id;
  }

  const read = async (id: string) =>
    (
      await anna.data<{ task: Record<string, unknown> }>(`query($id: ID!) { task(id: $id) { ${taskSelection} } }`, {
        id,
      })
    ).task;

  const updates: [string, string, string[]][] = [
    [
      'updateTask',
      'mutation($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }',
      inputFields('UpdateTaskInput'),
    ],
    [
      'updateTasks',
      'mutation($id: ID!, $input: BulkUpdateTasksInput!) { updateTasks(ids: [$id], input: $input) { count } }',
      inputFields('BulkUpdateTasksInput'),
    ],
  ];

  const hasSample = (name: string) => fieldSamples.some((sample) => sample.name === name);

  // Own fields of tasks: test/tasks/fields.
  test.each(updates)('%s clears optional references', async (_name, mutation, fields) => {
    const { inbox } = await anna.data<{ inbox: { id: string } }>('{ inbox { id } }');
    const cleared = fields.filter(isClearedByNull('Task')).filter((name) => !hasSample(name));
    for (const field of cleared.filter((name) => !isNoField(name))) {
      const id = await makeFullTask(field);
      expect((await read(id))[field === 'tagIds' ? 'tags' : field] ?? []).not.toEqual([]);
      await anna.data(mutation, { id, input: { [field]: null } });
      const after = await read(id);
      if (field === 'tagIds') expect(after['tags']).toEqual([]);
      else if (field === 'assigneeIds') expect(after[field]).toEqual([]);
      else expect([field, after[field]]).toEqual([field, field === 'projectId' ? inbox.id : null]);
    }
  });

  test.each(updates)('%s refuses it for required fields, and changes nothing', async (_name, mutation, fields) => {
    const id = await makeFullTask();
    const before = await read(id);
    const refusedFields = fields.filter((field) => !isClearedByNull('Task')(field));
    expect(refusedFields).toEqual(expect.arrayContaining(['completed', 'reminder']));
    for (const field of refusedFields) {
      const { errors } = await anna.graphql(mutation, { id, input: { [field]: null, priority: 'LOW' } });
      expect(errors?.[0]?.extensions).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: [{ path: `input.${field}`, message: 'must not be null' }],
      });
    }
    expect(await read(id)).toEqual(before);
  });

  test('updatePreferences refuses it for required preferences', async () => {
    const mutation = 'mutation($input: UpdatePreferencesInput!) { updatePreferences(input: $input) { digestTime } }';
    for (const field of inputFields('UpdatePreferencesInput')) {
      const { data, errors } = await anna.graphql(mutation, { input: { [field]: null } });
      if (isAlwaysThere('Preferences', field)) {
        expect(errors?.[0]?.extensions).toMatchObject({ errors: [{ path: `input.${field}` }] });
      } else {
        expect(data).toEqual({ updatePreferences: { [field]: null } });
      }
    }
  });
});
