import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Stream } from '../changes/stream.ts';
import { Client } from '../kit/client.ts';
import { Coverage, type EnteredFunction } from '../kit/coverage.ts';
import { makeProject, makeSection, makeTag, makeTask } from '../kit/make.ts';
import { randomName } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

interface Figures {
  files: number;
  functions: number;
}

const figuresFile = 'test/package/walks.json';
/** Fills the caches of the service and compiles its statements. */
const warmUps = 10;
/** A function counts if most of these runs enter it. */
const runs = 5;
/** A busy machine changes the order of events, and with it a function or two. */
const functionTolerance = 5;

/** @param alias a new one makes a new text */
const nestedQuery = (alias: string) => `{ projects {
  id name sections { id name }
  tasks(first: 50) { edges { node { id ${alias}: title tags { id name } children { id title } } } }
} }`;

describe('the files and functions of the build that a walk enters', () => {
  let service: Service;
  let coverage: Coverage;
  /** Writes through another process. */
  let anna: User;
  /** The same user at the watched process. */
  let walker: Client;
  let taskId: string;

  beforeAll(async () => {
    service = await startService();
    anna = await signUp(service);
    const project = await makeProject(anna);
    await makeSection(anna, project.id);
    const tag = await makeTag(anna);
    const { id } = await makeTask(anna, { projectId: project.id, tagIds: [tag.id] });
    await makeTask(anna, { projectId: project.id, parentId: id });
    taskId = id;
    coverage = await Coverage.start(service.variables);
    walker = new Client(coverage.service.url, anna.cookie);
  });
  afterAll(async () => {
    await coverage.close();
    await service.close();
  });

  const rename = (client: Client) => client.patch(`/api/v2/todo/${taskId}`, { title: randomName('title') });

  /** Returns when the watched process has heard of the change, which may come later than the response. */
  async function changeElsewhere(): Promise<void> {
    const isHeard = (entered: ReadonlyMap<string, EnteredFunction>) =>
      [...entered.values()].some(({ file, name }) => file === 'src/changes/changes.js' && name === '#hear');
    let entered = await coverage.during(() => rename(anna));
    // Between two measurements, the news goes unseen.
    for (let tries = 1; !isHeard(entered); tries += 1)
      entered = await coverage.during(() => (tries % 20 === 0 ? rename(anna) : Promise.resolve()));
  }

  async function measure(walk: () => Promise<unknown>, prepare?: () => Promise<unknown>): Promise<EnteredFunction[]> {
    for (let run = 0; run < warmUps; run += 1) {
      await prepare?.();
      await walk();
    }
    const all = new Map<string, EnteredFunction>();
    const counts = new Map<string, number>();
    for (let run = 0; run < runs; run += 1) {
      await prepare?.();
      for (const [place, entered] of await coverage.during(walk)) {
        all.set(place, entered);
        counts.set(place, (counts.get(place) ?? 0) + 1);
      }
    }
    return [...all].filter(([place]) => (counts.get(place) ?? 0) > runs / 2).map(([, entered]) => entered);
  }

  /** Fails if a walk becomes shorter too, which keeps the file true. */
  async function expectFigures(name: string, entered: EnteredFunction[]): Promise<void> {
    const known = JSON.parse(await readFile(path.resolve(figuresFile), 'utf8')) as Record<string, Figures>;
    const files = new Set(entered.map(({ file }) => file));
    const figures = { files: files.size, functions: entered.length };
    try {
      const { files: knownFiles, functions = 0 } = known[name] ?? {};
      expect(figures.files).toBe(knownFiles);
      expect(Math.abs(figures.functions - functions)).toBeLessThanOrEqual(functionTolerance);
    } catch (error) {
      const list = entered.map(({ file, name: ownName }) => `${file} ${ownName}`).toSorted();
      const hint = `If the change is intended, write it to ${figuresFile}: "${name}": ${JSON.stringify(figures)}`;
      throw new Error([(error as Error).message, hint, 'The functions:', ...list].join('\n'), { cause: error });
    }
  }

  const testWalk = (name: string, enter: () => Promise<EnteredFunction[]>) =>
    test(name, async () => expectFigures(name, await enter()));

  testWalk('PATCH of a title', () => measure(async () => expect(await rename(walker)).toMatchObject({ status: 200 })));

  testWalk('a nested query with a new text', () => {
    let count = 0;
    return measure(() => walker.data(nestedQuery(`title${(count += 1)}`)));
  });

  testWalk('the same query from the cache', () => measure(() => walker.data(nestedQuery('title'))));

  testWalk('GET /api/v2/projects after a change', () =>
    measure(async () => expect(await walker.get('/api/v2/projects')).toMatchObject({ status: 200 }), changeElsewhere),
  );

  testWalk('a change of another process, to one subscriber', async () => {
    const stream = await Stream.open(coverage.service, walker);
    const entered = await measure(async () => {
      await rename(anna);
      await stream.take();
    });
    stream.close();
    return entered;
  });
});
