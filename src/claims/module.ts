import { defineModule } from '../platform/module.ts';
import { PacedWork } from '../platform/paced-work.ts';
import { endClaims } from './rules.ts';

export const claims = defineModule({
  name: 'claims',
  background: ({ connections, changes }) => [
    new PacedWork('claims', 'claims could not be ended', async () => {
      const spaces = await endClaims(connections);
      if (spaces.length > 0) changes.notify({ spaces });
      return spaces.length > 0;
    }),
  ],
});
