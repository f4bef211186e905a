import { defineModule } from '../platform/module.ts';
import type { BaseServices } from '../platform/services.ts';
import { listTurns } from './stream-turns.ts';

export const tasks = defineModule({
  name: 'tasks',
  services: ({ connections }: BaseServices) => ({ lists: listTurns(connections) }),
});
