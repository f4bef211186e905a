import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addMember, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { randomName } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { operationOf } from './undoing.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ RATE_LIMITS: 'off' });
});
afterAll(() => service.close());

interface Task {
  id: string;
  title: string;
  space: string;
  deletion?: { operation: string; by: string; isEmptied: boolean };
}

const step = fc.record({
  act: fc.constantFrom(
    ...([
      'create',
      'rename',
      'move',
      'move',
      'delete',
      'delete',
      'restore',
      'undo',
      'empty',
      'emptyOne',
      'take',
      'member',
    ] as const),
  ),
  who: fc.nat(1),
  which: fc.nat(99),
  where: fc.nat(1),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const graphql = { headers: { 'x-graphql-yoga-csrf': '1' } };

/** Predicts the trash of two accounts, also in a workspace that the second one leaves. */
class Model {
  readonly #users: readonly [User, User];
  readonly #workspace: string;
  readonly #project: string;
  readonly #tasks: Task[] = [];
  #isMember = true;

  private constructor(users: readonly [User, User], workspace: string, project: string) {
    [this.#users, this.#workspace, this.#project] = [users, workspace, project];
  }

  static async make(): Promise<Model> {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna, ben);
    const { id } = await makeProject(anna, { workspaceId: workspace.id });
    return new Model([anna, ben], workspace.id, id);
  }

  #reaches = (user: User, space: string) =>
    space === user.id || (space === this.#workspace && (user === this.#users[0] || this.#isMember));

  #isEntry = (user: User, { space, deletion }: Task) => deletion?.isEmptied === false && this.#reaches(user, space);

  async perform({ act, who, which, where }: Step): Promise<void> {
    const user = this.#users[who === 0 ? 0 : 1];
    const space = where === 0 ? user.id : this.#workspace;
    const projectId = where === 0 ? null : this.#project;
    const pick = (tasks: Task[]) => tasks[which % tasks.length];
    const aliveTask = pick(this.#tasks.filter((task) => !task.deletion && this.#reaches(user, task.space)));
    const deletedTask = pick(this.#tasks.filter(({ deletion }) => deletion));
    if (act === 'create' && this.#reaches(user, space)) {
      const { id, title } = await makeTask(user, { ...(projectId !== null && { projectId }) });
      this.#tasks.push({ id, title, space });
    } else if (act === 'rename' && aliveTask) {
      aliveTask.title = randomName('renamed');
      await this.#succeeds(user.patch(`/api/v2/todo/${aliveTask.id}`, { title: aliveTask.title }));
    } else if (act === 'move' && aliveTask && this.#reaches(user, space)) {
      await this.#succeeds(user.patch(`/api/v2/todo/${aliveTask.id}`, { projectId }));
      aliveTask.space = space;
    } else if (act === 'delete' && aliveTask) await this.#delete(user, aliveTask, which);
    else if (act === 'restore' && deletedTask) await this.#restore(user, deletedTask);
    else if (act === 'undo' && deletedTask) await this.#undo(user, deletedTask);
    else if (act === 'empty') await this.#empty(user);
    else if (act === 'emptyOne' && deletedTask) await this.#emptyOne(user, deletedTask);
    else if (act === 'take' && deletedTask) await this.#take(user, deletedTask);
    else if (act === 'member') await this.#changeMember();
  }

  async #succeeds(answer: Promise<{ status: number; body: unknown; headers: Headers }>) {
    const { status, body, headers } = await answer;
    expect({ status, body }).toMatchObject({ status: 200 });
    return { body, headers };
  }

  async #delete(user: User, task: Task, which: number): Promise<void> {
    const others = this.#tasks.filter((each) => each !== task && !each.deletion && this.#reaches(user, each.space));
    const deleted = [task, ...others.slice(0, which % 2)];
    const ids = deleted.map(({ id }) => id).join();
    const operation = operationOf(await this.#succeeds(user.delete(`/api/v2/todo/bulk?todoIds=${ids}`)));
    for (const each of deleted) each.deletion = { operation, by: user.id, isEmptied: false };
  }

  async #restore(user: User, task: Task): Promise<void> {
    const { status } = await user.post('/api/v2/trash/restore', { ids: [task.id] });
    expect({ act: 'restore', status }).toEqual({ act: 'restore', status: this.#isEntry(user, task) ? 200 : 404 });
    if (status === 200) delete task.deletion;
  }

  /** Undoes the last deletion of a task. Its other entries come back, too. */
  async #undo(user: User, { deletion }: Task): Promise<void> {
    const { status, body } = await user.post<{ applied: number; operationId: string | null }>(
      `/api/v2/operations/${deletion?.operation}/undo`,
    );
    const restoredTasks = this.#tasks.filter(
      (each) => each.deletion?.operation === deletion?.operation && this.#isEntry(user, each),
    );
    if (restoredTasks.length === 0) expect(status === 200 ? body.applied : 0).toBe(0);
    // An operation is undone once. Its other entries can only be restored.
    else if (status === 200) expect(body.applied).toBe(restoredTasks.length);
    else expect(body).toMatchObject({ message: expect.stringContaining('has been undone by') });
    if (status === 200) for (const task of restoredTasks) delete task.deletion;
  }

  async #empty(user: User): Promise<void> {
    const own = this.#tasks.filter(
      (task) => this.#isEntry(user, task) && (task.space === user.id || task.deletion?.by === user.id),
    );
    expect(await user.data('mutation { emptyTrash }')).toEqual({ emptyTrash: own.length });
    for (const { deletion } of own) if (deletion) deletion.isEmptied = true;
  }

  async #emptyOne(user: User, task: Task): Promise<void> {
    const query = 'mutation ($ids: [ID!]) { emptyTrash(ids: $ids) }';
    const { body } = await user.post('/graphql', { query, variables: { ids: [task.id] } }, graphql);
    const isEntry = this.#isEntry(user, task);
    expect(body).toMatchObject(
      isEntry ? { data: { emptyTrash: 1 } } : { errors: [{ extensions: { code: 'NOT_FOUND' } }] },
    );
    if (isEntry && task.deletion) task.deletion.isEmptied = true;
  }

  async #take(user: User, { id }: Task): Promise<void> {
    const query = 'mutation ($id: ID!) { createTask(input: { id: $id, title: "taken" }) { id } }';
    const { body } = await user.post('/graphql', { query, variables: { id } }, graphql);
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] });
  }

  async #changeMember(): Promise<void> {
    const [anna, ben] = this.#users;
    if (this.#isMember) await ben.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: this.#workspace });
    else await addMember(anna, this.#workspace, ben);
    this.#isMember = !this.#isMember;
  }

  /** Each account has exactly the predicted entries, and the other tasks with their content. */
  async check(): Promise<void> {
    for (const user of this.#users) {
      const { body } = await user.get<{ trash: Pick<Task, 'id' | 'title'>[] }>('/api/v2/trash?limit=500');
      const describeTask = ({ id, title }: Pick<Task, 'id' | 'title'>) => `${id} ${title}`;
      const predicted = this.#tasks.filter((task) => this.#isEntry(user, task)).map(describeTask);
      expect(body.trash.map(describeTask).sort()).toEqual(predicted.sort());
      const { body: lists } = await user.get<{ todos: Task[] }>('/api/v2/todo');
      const aliveTasks = this.#tasks
        .filter((task) => !task.deletion && this.#reaches(user, task.space))
        .map(describeTask);
      expect(lists.todos.map(describeTask).sort()).toEqual(aliveTasks.sort());
    }
  }
}

test('each account can restore exactly its own entries, with the last content that it saw', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      const model = await Model.make();
      for (const where of [0, 1, 1]) await model.perform({ act: 'create', who: where, which: 0, where });
      for (const each of steps) {
        await model.perform(each);
        await model.check();
      }
    }),
    { numRuns: Number(process.env['ROUNDS'] ?? 4), includeErrorInReport: true },
  );
}, 300_000);
