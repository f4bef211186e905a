import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '../kit/client.ts';
import { type ServiceProcess, spawnService } from '../kit/process.ts';
import { addMember } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';
import { CachedResponses, History, type RegisterValues, registerValues } from './history.ts';
import { makeRegisters, type Read, type UserName } from './registers.ts';

type Clients = Record<UserName, Client>;

const isRest = ({ target }: Read) => target.startsWith('/');

describe('responses of two processes on one database', () => {
  let service: Service;
  let other: ServiceProcess;

  beforeAll(async () => {
    service = await startService();
    const variables = {
      ...service.variables,
      LOG_LEVEL: 'warn',
    };
    // Both processes run the sources: the code is part of an ETag.
    other = await spawnService(variables, [
      process.execPath,
      '--import',
      './scripts/typescript.js',
      'src/process/main.ts',
    ]);
    if (other.url === undefined) throw new Error(other.errors());
  });
  afterAll(async () => {
    other.signal('SIGKILL');
    await service.close();
  });

  async function makeUsers(): Promise<{
    anna: User;
    ben: User;
    processes: [Clients, Clients];
    clientsOf: (index: number) => Clients;
  }> {
    const [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
    const clientsAt = (url = ''): Clients => ({ anna: new Client(url, anna.cookie), ben: new Client(url, ben.cookie) });
    const [here, there] = [clientsAt(service.url), clientsAt(other.url)];
    return { anna, ben, processes: [here, there], clientsOf: (index) => (index % 2 === 0 ? here : there) };
  }

  test('never show less than any earlier response', async () => {
    const maxValue = 12;
    const { anna, ben, clientsOf } = await makeUsers();
    const { writes, reads } = await makeRegisters(service, anna, ben, maxValue);
    const history = new History();
    const cachedResponses = new Map(reads.map((read) => [read, new CachedResponses()]));
    let notModified = 0;

    /** Reads as a client that holds the last ETags, even from other clients. */
    async function show(client: Client, read: Read, count: number): Promise<RegisterValues> {
      const answers = cachedResponses.get(read) ?? new CachedResponses();
      if (!isRest(read)) return registerValues(await client.data(read.target));
      const tags = answers.last(count);
      const headers: Record<string, string> = tags.length > 0 ? { 'If-None-Match': tags.join(', ') } : {};
      const { status, body, headers: answered } = await client.get(read.target, { headers });
      const tag = answered.get('etag') ?? '';
      if (status === 304) {
        expect(tags).toContain(tag);
        notModified += 1;
        return answers.valuesOf(tag);
      }
      expect(status).toBe(200);
      const values = registerValues(body);
      answers.add(tag, values);
      return values;
    }
    const readCached = (read: Read, index: number, count: number) =>
      history.read(read.registers, `${read.who} ${read.target} of process ${index % 2}`, () =>
        show(clientsOf(index)[read.who], read, count),
      );

    let writers = Object.keys(writes).length;
    const writing = Object.entries(writes).map(async ([register, write], writer) => {
      for (let value = 1; value <= maxValue; value += 1) {
        await history.write(register, value, () => write(clientsOf(writer + value), value));
      }
      writers -= 1;
    });
    const reading = Array.from({ length: 8 }, async (_, reader) => {
      for (let count = reader; writers > 0; count += 1) {
        const read = reads[Math.floor(count / 2) % reads.length];
        if (read) await readCached(read, reader, count % 4);
      }
    });
    await Promise.all([...writing, ...reading]);
    // The cache now has the final state.
    notModified = 0;
    for (const index of [0, 1]) {
      for (const read of reads) for (const count of [0, 0, 1]) await readCached(read, index, count);
    }
    expect(history.violations).toEqual([]);
    expect(notModified).toBe(2 * reads.filter(isRest).length);
  });

  test('are current at both processes after any kind of write', async () => {
    const { anna, ben, processes, clientsOf } = await makeUsers();
    const { writes, reads } = await makeRegisters(service, anna, ben, 1);
    let round = 0;
    for (const [register, write] of Object.entries(writes)) {
      const readsOfRegister = reads.filter(({ registers }) => registers.includes(register));
      expect(readsOfRegister).not.toEqual([]);
      const before = new Map<Read, string>();
      for (const read of readsOfRegister) {
        const [here, there] = await Promise.all(
          processes.map(async (clients) => {
            if (isRest(read)) return (await clients[read.who].get(read.target)).headers.get('etag') ?? undefined;
            return void (await clients[read.who].data(read.target));
          }),
        );
        // Both processes give a state the same ETag.
        expect(here).toBe(there);
        if (here !== undefined) before.set(read, here);
      }
      await write(clientsOf((round += 1)), 1);
      for (const read of readsOfRegister) {
        for (const clients of processes) {
          const client = clients[read.who];
          const headers = { 'If-None-Match': `"another", W/${before.get(read)}` };
          const shown = isRest(read)
            ? await client.get(read.target, { headers })
            : { status: 200, body: await client.data(read.target) };
          expect([read.target, shown.status]).toEqual([read.target, 200]);
          expect([read.target, register, registerValues(shown.body).get(register)]).toEqual([read.target, register, 1]);
        }
      }
    }
  });

  test('follow the members of a workspace', async () => {
    const { anna, ben, processes } = await makeUsers();
    const { workspaceId, sharedId } = await makeRegisters(service, anna, ben, 0);
    const bensAnswersShowIt = async () => {
      const answers: unknown[] = [];
      for (const { ben: client } of processes) {
        answers.push((await client.get('/api/v2/todo')).body);
        answers.push(await client.data('{ tasks(first: 500) { nodes { id } } }'));
      }
      return answers.map((answer) => JSON.stringify(answer).includes(sharedId));
    };
    const remove = 'mutation ($id: ID!, $user: ID!) { removeWorkspaceMember(workspaceId: $id, userId: $user) { id } }';
    expect(await bensAnswersShowIt()).toEqual([true, true, true, true]);
    for (let round = 0; round < 2; round += 1) {
      await anna.data(remove, { id: workspaceId, user: ben.id });
      expect(await bensAnswersShowIt()).toEqual([false, false, false, false]);
      await addMember(anna, workspaceId, ben);
      expect(await bensAnswersShowIt()).toEqual([true, true, true, true]);
    }
  });

  test('only read the session the second time', async () => {
    const { anna, ben } = await makeUsers();
    const { reads } = await makeRegisters(service, anna, ben, 0);
    const annas = reads.filter(({ who }) => who === 'anna').map(({ target }) => target);
    for (const target of [...annas, '/api/v2/todo/search?q=title', '/api/v2/todo?completed=true', '/api/v2/changes']) {
      const send = async () => (target.startsWith('/') ? (await anna.get(target)).body : anna.graphql(target));
      const first = await send();
      const { result, statements } = await recordStatements(send);
      const purposes = statements.map(({ purpose }) => purpose).filter((purpose) => purpose !== 'background');
      expect([target, purposes]).toEqual([target, ['session']]);
      expect(result).toEqual(first);
    }
    const get = `/graphql?query=${encodeURIComponent('{ tagCount }')}`;
    const preflighted = { headers: { 'x-graphql-yoga-csrf': '1' } };
    expect(await anna.get(get, preflighted)).toMatchObject({ body: { data: { tagCount: 2 } } });
    const { statements } = await recordStatements(() => anna.get(get, preflighted));
    expect(statements.filter(({ purpose }) => purpose === 'operation')).toEqual([]);
  });
});
