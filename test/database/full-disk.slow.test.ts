import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cursorOfNow, Stream } from '../changes/stream.ts';
import { makeTask } from '../kit/make.ts';
import { OwnPostgres } from '../kit/own-postgres.ts';
import { type Service, startService } from '../kit/service.ts';
import { SmallDisk } from '../kit/small-disk.ts';
import { signUp, type User } from '../kit/users.ts';
import { expectUnavailable } from './outage.ts';

const diskMiB = 200;

describe('a database whose disk is full', () => {
  let disk: SmallDisk | undefined;
  let postgres: OwnPostgres | undefined;
  let service: Service;
  let anna: User;

  beforeAll(async () => {
    disk = await SmallDisk.mount(diskMiB);
    if (!disk) return;
    postgres = await OwnPostgres.start(disk.folder);
    service = await startService({}, { databaseUrl: postgres.url });
    anna = await signUp(service);
  });
  afterAll(async () => {
    if (!postgres) return;
    await service.close();
    await postgres.close();
    await disk?.unmount();
  });

  test('refuses writes, serves reads and streams, keeps acknowledged writes, and continues when there is space', async () => {
    if (!disk) return;
    const first = await makeTask(anna);
    const stream = await Stream.open(service, anna, { after: await cursorOfNow(anna) });
    await disk.fill();
    const keptIds = [first.id];
    // Existing files of PostgreSQL have some space left.
    const write = () =>
      anna.post<{ todo?: { id: string } }>('/api/v2/todo', { title: 'Large', description: randomText(16_000) });
    let answer = await write();
    for (; answer.status === 201; answer = await write()) keptIds.push(answer.body.todo?.id ?? '');
    expectUnavailable(answer);
    for (let round = 0; round < 3; round += 1) {
      expectUnavailable(await write());
      expect(await anna.get(`/api/v2/todo/search?q=${first.title}`)).toMatchObject({ status: 200 });
      expect((await anna.data<{ task: unknown }>(`{ task(id: "${first.id}") { id } }`)).task).toEqual({ id: first.id });
    }
    expect(await service.anonymous.get('/readyz')).toMatchObject({ status: 200 });

    await disk.free();
    const last = await makeTask(anna);
    keptIds.push(last.id);
    const { todos } = (await anna.get<{ todos: { id: string }[] }>('/api/v2/todo')).body;
    expect(todos.map(({ id }) => id).sort()).toEqual(keptIds.sort());
    const changes = await stream.takeMany(keptIds.length - 1);
    expect(changes.map(({ taskId }) => taskId).sort()).toEqual(keptIds.filter((id) => id !== first.id).sort());
    stream.close();
  });
});

/** Text that compresses badly. */
const randomText = (length: number) =>
  Array.from({ length: length / 8 }, () => Math.random().toString(36).slice(2, 10).padEnd(8, '0')).join('');
