import fc from 'fast-check';
import { tableOf, typesInSpaces } from '../../src/history/diffs.ts';
import { documents } from '../../client/src/replica/schema.ts';
import type { Client } from '../kit/client.ts';
import { makeComment, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { randomName } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { newKey } from '../idempotency/keyed.ts';
import { type UndoableMutation, variablesByMutation, type EntityIds, compositions } from './acts.ts';
import { placeColumns, type Row, same, spaceOf, type State } from './states.ts';

export interface Conflict {
  type: string;
  id: string | null;
  field: string | null;
  reason: string;
}

export interface UndoResult {
  conflicts: Conflict[];
  operationId: string | null;
}

export interface PerformedOperation {
  id: string;
  name: string;
  actor: number;
  before: State;
  after: State;
  isUndone?: true;
}

export const step = fc.record({
  action: fc.nat(999),
  user: fc.nat(2),
  a: fc.nat(999),
  b: fc.nat(999),
  c: fc.nat(999),
});
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Variation {
  kind: UndoableMutation;
  variables: object;
}

const variationsOf = (ids: EntityIds): Variation[] =>
  (Object.entries(variablesByMutation) as [UndoableMutation, (typeof variablesByMutation)[UndoableMutation]][]).flatMap(
    ([kind, variablesOf]) => variablesOf(ids).map((variables) => ({ kind, variables })),
  );

/** Three users, their spaces and two workspaces, with the operations and states. */
export class World {
  readonly service: Service;
  readonly users: readonly User[];
  readonly spaceIds: readonly string[];
  readonly members: ReadonlyMap<string, readonly string[]>;
  readonly operations: PerformedOperation[] = [];

  private constructor(service: Service, users: readonly User[], members: ReadonlyMap<string, readonly string[]>) {
    this.service = service;
    this.users = users;
    this.members = members;
    this.spaceIds = [...members.keys()];
  }

  static async make(service: Service): Promise<World> {
    const users = [await signUp(service), await signUp(service), await signUp(service)];
    const [anna, ben, carla] = users as [User, User, User];
    const all = await makeWorkspace(anna, ben, carla);
    const two = await makeWorkspace(anna, ben);
    for (const user of users) {
      const tag = await makeTag(user);
      await makeTask(user, { tags: [tag.id] });
      for (let count = 0; count < 2; count += 1) {
        const projectId = (await makeProject(user)).id;
        const projectSectionId = (await makeSection(user, projectId)).id;
        await makeTask(user, { projectId, projectSectionId });
        const parent = await makeTask(user, { projectId, projectSectionId });
        await makeTask(user, { parentId: parent.id });
        await makeComment(user, parent.id);
      }
    }
    for (const { id } of [all, two]) {
      const project = await makeProject(ben, { workspaceId: id });
      const section = await makeSection(ben, project.id);
      await makeTask(anna, { projectId: project.id, projectSectionId: section.id });
      const parent = await makeTask(anna, { projectId: project.id, projectSectionId: section.id });
      await makeTask(ben, { parentId: parent.id });
      for (const user of [anna, ben]) await makeComment(user, parent.id);
    }
    const ids = users.map(({ id }) => id);
    const members: [string, string[]][] = [...ids.map((id): [string, string[]] => [id, [id]]), [all.id, ids]];
    return new World(service, users, new Map([...members, [two.id, ids.slice(0, 2)]]));
  }

  async state(): Promise<State> {
    const kinds = typesInSpaces.map(
      (type) => `
        SELECT id, '${type.toLowerCase()}' AS type, to_jsonb(each) - '{id,updated_at,search}'::text[] AS values, coalesce(
          (SELECT jsonb_object_agg(tag_id, task_tags.space_id ORDER BY tag_id) FROM task_tags WHERE task_id = each.id), '{}') AS tags
        FROM ${tableOf(type)} AS each WHERE space_id = ANY ($1)`,
    );
    const workspaces = `SELECT id, 'workspace', jsonb_build_object('name', name), '{}'::jsonb FROM spaces WHERE id = ANY ($1)`;
    const rows = await this.service.sql<Row>([...kinds, workspaces].join(' UNION ALL ') + ' ORDER BY id', [
      this.spaceIds,
    ]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  canSee = (user: number, row?: Row): boolean =>
    row !== undefined && this.members.get(spaceOf(row))?.includes(this.users[user]?.id ?? '') === true;

  async run(
    caller: number | Client,
    document: string,
    variables: object,
    headers: Record<string, string> = {},
  ): Promise<{ id: string | null; data: Record<string, unknown> }> {
    const client = typeof caller === 'number' ? this.users[caller] : caller;
    const answer = await client?.post<{
      data?: Record<string, unknown> | null;
      errors?: { extensions: { code: string } }[];
    }>('/graphql', { query: document, variables }, { headers: { 'x-graphql-yoga-csrf': '1', ...headers } });
    const { data, errors } = answer?.body ?? {};
    if (errors?.some(({ extensions }) => extensions.code === 'INTERNAL')) throw new Error(`${document} met a fault`);
    return { id: answer?.headers.get('x-operation-id') ?? null, data: data ?? {} };
  }

  async runStep({ action, ...step }: Step): Promise<void> {
    const before = await this.state();
    const ids = this.#chosen(step, before);
    const compositionEntries = Object.entries(compositions);
    const single = variationsOf(ids);
    const index = action % (single.length + compositionEntries.length);
    const [name, composition] = compositionEntries[index - single.length] ?? [];
    if (name !== undefined && composition) {
      const key = { 'Idempotency-Key': newKey() };
      const { id } = await this.run(step.user, composition.document, composition.variables(ids), key);
      await this.#note(id, name, step.user, before);
    } else {
      const { kind, variables } = single[index] ?? { kind: 'undo', variables: {} };
      await this.perform(step.user, kind, variables, before);
    }
  }

  async perform(user: number, kind: UndoableMutation, variables: object, before: State): Promise<boolean> {
    const { id } = await this.run(user, documents[kind], variables);
    return this.#note(id, kind, user, before);
  }

  async #note(id: string | null, name: string, actor: number, before: State): Promise<boolean> {
    if (id !== null) this.operations.push({ id, name, actor, before, after: await this.state() });
    return id !== null;
  }

  /** All single mutations of a user with the chosen entities. @param spaceId limits the entities to a space */
  variations(step: Omit<Step, 'action'>, before: State, spaceId?: string): Variation[] {
    return variationsOf(this.#chosen(step, before, spaceId));
  }

  #chosen({ user, a, b, c }: Omit<Step, 'action'>, before: State, spaceId?: string): EntityIds {
    const isInSpace = (row: Row) => spaceId === undefined || row.type === 'tag' || spaceOf(row) === spaceId;
    const visibleRows = [...before.values()].filter((row) => this.canSee(user, row) && isInSpace(row));
    const pick = (type: string, number: number): string => {
      const all = visibleRows.filter((row) => row.type === type);
      return all[number % all.length]?.id ?? 'none';
    };
    const ownTags = (number: number) => {
      const tags = visibleRows.filter(({ type }) => type === 'tag');
      return tags.filter((_tag, index) => ((number >> index) & 1) === 1).map(({ id }) => id);
    };
    const ownComments = visibleRows.filter(
      ({ type, values }) => type === 'comment' && values['author_id'] === this.users[user]?.id,
    );
    const deletedIds = this.operations
      .toReversed()
      .flatMap((operation) => [...operation.before.keys()].filter((id) => !before.has(id)));
    const task = pick('task', a);
    const positionOf = (id: string) => placeColumns.map((column) => before.get(id)?.values[column]);
    const siblings = visibleRows.filter(
      ({ id, type }) => type === 'task' && id !== task && same(positionOf(id), positionOf(task)),
    );
    return {
      task,
      sibling: siblings[b % siblings.length]?.id ?? 'none',
      other: pick('task', b),
      third: pick('task', c),
      project: pick('project', b),
      otherProject: pick('project', c),
      section: pick('section', c),
      comment: ownComments[c % ownComments.length]?.id ?? 'none',
      tag: pick('tag', a),
      workspace: pick('workspace', a),
      deleted: deletedIds[b % deletedIds.length] ?? 'none',
      operation: this.operations[a % this.operations.length]?.id ?? 'none',
      name: randomName('name'),
      b,
      c,
      ownTags,
      assignees: (number) => this.users.filter((_user, index) => ((number >> index) & 1) === 1).map(({ id }) => id),
    };
  }

  async undo(user: number | Client, operationId: string): Promise<UndoResult | undefined> {
    const { data } = await this.run(
      user,
      'mutation ($operationId: ID!) { undo(operationId: $operationId) { operation { id } conflicts { type id field reason } } }',
      { operationId },
    );
    const undone = data['undo'] as { operation: { id: string } | null; conflicts: Conflict[] } | undefined;
    return undone && { conflicts: undone.conflicts, operationId: undone.operation?.id ?? null };
  }
}
