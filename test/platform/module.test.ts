import { expect, jest, test } from '@jest/globals';
import { log } from '@taskgate/base';
import { defineModule, ModuleList, Stops } from '../../src/platform/module.ts';

interface Base {
  start: number;
}

interface Settings {
  step: number;
}

const first = defineModule({
  name: 'first',
  services: async ({ start }: Base, { step }: Settings) => Promise.resolve({ first: start + step }),
});
const second = defineModule({
  name: 'second',
  services: ({ start, first: before }: Base & { first: number }) => ({ second: [start, before] }),
});
const idle = defineModule({ name: 'idle' });

const modules = ModuleList.on<Base, Settings>();

test('a module gets the services of earlier ones, and the settings', async () => {
  const { list, build } = modules.with(first).with(idle).with(second);
  expect(list.map(({ name }) => name)).toEqual(['first', 'idle', 'second']);
  expect(await build({ start: 1 }, { step: 2 }, () => undefined)).toEqual({ start: 1, first: 3, second: [1, 3] });
});

test('the types refuse a module that needs services of a later one, or an unknown setting', () => {
  // @ts-expect-error -- `first` comes later
  modules.with(second).with(first);
  // @ts-expect-error -- there is no such setting
  modules.with(defineModule({ name: 'third', services: (_base: Base, { size }: { size: number }) => ({ size }) }));
  expect(modules.list).toEqual([]);
});

test('the end of an object that fails keeps no other from its end, in reverse order', async () => {
  const logged = jest.spyOn(log, 'error').mockReturnValue();
  const ended: string[] = [];
  const stops = new Stops();
  for (const name of ['database', 'mailer', 'planner'])
    stops.add(async () => {
      ended.push(name);
      await Promise.resolve();
      if (name === 'mailer') throw new Error('no connection');
    });
  await stops.run();
  await stops.run();
  expect(ended).toEqual(['planner', 'mailer', 'database']);
  expect(logged.mock.calls).toEqual([[{ error: new Error('no connection') }, expect.any(String)]]);
  logged.mockRestore();
});
