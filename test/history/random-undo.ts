import fc from 'fast-check';
import { fieldOf, tableOf, typesInSpaces } from '../../src/history/images.ts';
import { documents } from '../../client/src/replica/schema.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { randomName } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { type Act, acts, type Chosen } from './acts.ts';
import { changedBetween, placeColumns, referencesOf, type Row, same, show, spaceOf, type State } from './states.ts';

interface Conflict {
  type: string;
  id: string | null;
  field: string | null;
  reason: string;
}

interface Undone {
  conflicts: Conflict[];
  operationId: string | null;
}

/** An operation that was made, with what there was before and after it. */
interface Done {
  id: string;
  name: string;
  actor: number;
  before: State;
  after: State;
}

/** Numbers that choose what is done, by whom, and with what. */
export const step = fc.record({
  act: fc.nat(999),
  user: fc.nat(2),
  a: fc.nat(999),
  b: fc.nat(999),
  c: fc.nat(999),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** What is undone of what was done: the number of the operation from the end on, and by whom. */
export const choice = fc.record({ back: fc.oneof(fc.constant(0), fc.nat(9)), user: fc.nat(2) });

const together = [
  ['completed', 'completed_at'],
  ['is_all_day', 'due_time', 'due_date'],
  placeColumns,
  ['name', 'slug'],
];
/** Three users, their spaces and two workspaces, what they do at random, and what there is then. */
export class World {
  readonly #service: Service;
  readonly #users: readonly User[];
  readonly #spaceIds: readonly string[];
  readonly #members: ReadonlyMap<string, readonly string[]>;
  readonly done: Done[] = [];

  private constructor(service: Service, users: readonly User[], members: ReadonlyMap<string, readonly string[]>) {
    this.#service = service;
    this.#users = users;
    this.#members = members;
    this.#spaceIds = [...members.keys()];
  }

  static async make(service: Service): Promise<World> {
    const users = [await signUp(service), await signUp(service), await signUp(service)];
    const [anna, ben, carla] = users as [User, User, User];
    const all = await makeWorkspace(anna, ben, carla);
    const two = await makeWorkspace(anna, ben);
    for (const user of users) {
      const tag = await makeTag(user);
      await makeTask(user, { tags: [tag.id] });
    }
    for (const { id } of [all, two]) {
      const project = await makeProject(ben, { workspaceId: id });
      const section = await makeSection(ben, project.id);
      const parent = await makeTask(anna, { projectId: project.id, projectSectionId: section.id });
      await makeTask(ben, { parentId: parent.id });
    }
    const ids = users.map(({ id }) => id);
    const members: [string, string[]][] = [...ids.map((id): [string, string[]] => [id, [id]]), [all.id, ids]];
    return new World(service, users, new Map([...members, [two.id, ids.slice(0, 2)]]));
  }

  async #state(): Promise<State> {
    const kinds = typesInSpaces.map(
      (type) => `
        SELECT id, '${type.toLowerCase()}' AS type, to_jsonb(each) - '{id,updated_at,search}'::text[] AS values, coalesce(
          (SELECT jsonb_object_agg(tag_id, task_tags.space_id ORDER BY tag_id) FROM task_tags WHERE task_id = each.id), '{}') AS tags
        FROM ${tableOf(type)} AS each WHERE space_id = ANY ($1)`,
    );
    const workspaces = `SELECT id, 'workspace', jsonb_build_object('name', name), '{}'::jsonb FROM spaces WHERE id = ANY ($1)`;
    const rows = await this.#service.sql<Row>([...kinds, workspaces].join(' UNION ALL ') + ' ORDER BY id', [
      this.#spaceIds,
    ]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  #sees = (user: number, row?: Row): boolean =>
    row !== undefined && this.#members.get(spaceOf(row))?.includes(this.#users[user]?.id ?? '') === true;

  async #run(
    user: number,
    document: string,
    variables: object,
  ): Promise<{ id: string | null; data: Record<string, unknown> }> {
    const answer = await this.#users[user]?.post<{
      data?: Record<string, unknown> | null;
      errors?: { extensions: { code: string } }[];
    }>('/graphql', { query: document, variables }, { headers: { 'x-graphql-yoga-csrf': '1' } });
    const { data, errors } = answer?.body ?? {};
    if (errors?.some(({ extensions }) => extensions.code === 'INTERNAL')) throw new Error(`${document} met a fault`);
    return { id: answer?.headers.get('x-operation-id') ?? null, data: data ?? {} };
  }

  /** Does something; what is refused has not happened. */
  async act({ act, user, a, b, c }: Step): Promise<void> {
    const before = await this.#state();
    const seen = [...before.values()].filter((row) => this.#sees(user, row));
    const pick = (type: string, number: number): string => {
      const all = seen.filter((row) => row.type === type);
      return all[number % all.length]?.id ?? 'none';
    };
    const own = (number: number) => {
      const tags = seen.filter(({ type }) => type === 'tag');
      return tags.filter((_tag, index) => ((number >> index) & 1) === 1).map(({ id }) => id);
    };
    const gone = this.done.flatMap((done) => [...done.before.keys()].filter((id) => !before.has(id)));
    const chosen: Chosen = {
      task: pick('task', a),
      other: pick('task', b),
      third: pick('task', c),
      project: pick('project', b),
      otherProject: pick('project', c),
      section: pick('section', c),
      tag: pick('tag', a),
      workspace: pick('workspace', a),
      gone: gone[b % gone.length] ?? 'none',
      operation: this.done[a % this.done.length]?.id ?? 'none',
      name: randomName('name'),
      b,
      c,
      own,
    };
    const all = (Object.entries(acts) as [Act, (typeof acts)[Act]][]).flatMap(([kind, of]) =>
      of(chosen).map((variables) => ({ kind, variables })),
    );
    const { kind, variables } = all[act % all.length] ?? { kind: 'undo', variables: {} };
    const { id } = await this.#run(user, documents[kind], variables);
    if (id === null) return;
    this.done.push({ id, name: kind, actor: user, before, after: await this.#state() });
  }

  async #undo(user: number, operationId: string): Promise<Undone | undefined> {
    const { data } = await this.#run(
      user,
      'mutation ($operationId: ID!) { undo(operationId: $operationId) { operation { id } conflicts { type id field reason } } }',
      { operationId },
    );
    const undone = data['undo'] as { operation: { id: string } | null; conflicts: Conflict[] } | undefined;
    return undone && { conflicts: undone.conflicts, operationId: undone.operation?.id ?? null };
  }

  /** Undoes one of the operations, then the undo. @throws Error where something is neither as it was nor named as a conflict */
  async check({ back, user: chosen }: { back: number; user: number }): Promise<void> {
    const done = this.done.at(-1 - (back % Math.max(this.done.length, 1)));
    if (!done) return;
    const user = back === 0 ? done.actor : chosen;
    const now = await this.#state();
    const undone = await this.#undo(user, done.id);
    // Undone already, or out of sight.
    if (!undone) return;
    const then = await this.#state();
    this.#requireNamed(user, done, now, then, undone.conflicts);
    const isClean = undone.conflicts.length === 0;
    if (!isClean && this.#isUntouched(done, now) && this.#seesAll(user, done)) {
      throw new Error(`nobody has touched what ${done.name} did, but ${JSON.stringify(undone.conflicts)}`);
    }
    if (done === this.done.at(-1) && undone.conflicts.length === 0)
      this.#requireSame(`undo of ${done.name}`, then, done.before);
    if (undone.operationId === null) return;
    const redone = await this.#undo(user, undone.operationId);
    if (redone?.conflicts.length !== 0) throw new Error(`undo of the undo of ${done.name}: ${JSON.stringify(redone)}`);
    this.#requireSame(`undo of the undo of ${done.name}`, await this.#state(), now);
  }

  /** Whether all that the operation changed is in spaces of the user, with no tags of others. */
  #seesAll(user: number, { before, after }: Done): boolean {
    return changedBetween(before, after).every((id) => {
      const rows = [before.get(id), after.get(id)].filter((row) => row !== undefined);
      const owners = rows.flatMap(({ tags }) => Object.values(tags));
      return rows.every((row) => this.#sees(user, row)) && owners.every((owner) => owner === this.#users[user]?.id);
    });
  }

  #requireSame(what: string, is: State, was: State): void {
    const different = changedBetween(is, was);
    if (different.length > 0) throw new Error(`${what}: ${show(is, different)} was ${show(was, different)}`);
  }

  /** Whether nothing that the operation changed, or that this refers to, was changed since, nor refers to what it changed. */
  #isUntouched({ before, after }: Done, now: State): boolean {
    const changed = new Set(changedBetween(before, after));
    const related = new Set(
      [...changed].flatMap((id) => [id, ...referencesOf(before.get(id)), ...referencesOf(after.get(id))]),
    );
    return changedBetween(after, now).every(
      (id) =>
        !related.has(id) &&
        ![...referencesOf(after.get(id)), ...referencesOf(now.get(id))].some((each) => changed.has(each)),
    );
  }

  /** Each column that the operation changed is as it was, or a conflict names it. */
  #requireNamed(
    user: number,
    { name, before, after }: Done,
    now: State,
    then: State,
    conflicts: readonly Conflict[],
  ): void {
    for (const id of changedBetween(before, after)) {
      const [was, is] = [before.get(id), then.get(id)];
      const named = conflicts.filter((conflict) => conflict.id === id);
      const isHidden =
        conflicts.some((conflict) => conflict.id === null) &&
        ![before, after, now].every((state) => !state.has(id) || this.#sees(user, state.get(id)));
      if (isHidden || named.some(({ field }) => field === null)) continue;
      if (!was !== !is)
        throw new Error(
          `undo of ${name}: ${id} is ${is ? 'still there' : 'not back'}, and no conflict says so: ${JSON.stringify(conflicts)}`,
        );
      if (!was || !is) continue;
      const made = after.get(id);
      const columns = Object.keys(was.values).filter((column) => !same(was.values[column], made?.values[column]));
      for (const column of columns.filter((each) => !same(was.values[each], is.values[each]))) {
        const group = together.find((each) => each.includes(column)) ?? [column];
        const isNamed = named.some(({ field }) => group.map(fieldOf).includes(field ?? ''));
        if (!isNamed)
          throw new Error(
            `undo of ${name}: ${column} of ${id} is ${String(is.values[column])}, was ${String(was.values[column])}, then ${String(made?.values[column])}, before the undo ${String(now.get(id)?.values[column])}: ${JSON.stringify(conflicts)}`,
          );
      }
      this.#requireTags(user, name, { was, made, is }, then);
    }
  }

  #requireTags(
    user: number,
    name: string,
    { was, made, is }: { was: Row; made: Row | undefined; is: Row },
    then: State,
  ): void {
    const own = this.#users[user]?.id;
    for (const [tag, owner] of Object.entries({ ...was.tags, ...made?.tags })) {
      if (tag in was.tags === (made !== undefined && tag in made.tags)) continue;
      const isOwners =
        owner === own ||
        (made === undefined && this.#members.get(String(is.values['space_id']))?.includes(owner) === true);
      if (isOwners && then.has(tag) && tag in is.tags !== tag in was.tags) {
        throw new Error(`undo of ${name}: the tag ${tag} of ${is.id} is not as it was`);
      }
    }
  }
}

/** Random operations, then the undo of one of them, again and again. */
export const roundsOf = (service: () => Service, { runs, steps }: { runs: number; steps: number }) =>
  fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: steps }),
      fc.array(choice, { minLength: 1, maxLength: 4 }),
      async (taken, choices) => {
        const world = await World.make(service());
        for (const each of taken) await world.act(each);
        for (const each of choices) await world.check(each);
      },
    ),
    // A second and a half for each, where more are wanted than usual.
    { numRuns: runs, includeErrorInReport: true, interruptAfterTimeLimit: Math.max(90_000, 1500 * runs) },
  );
