import { settlesWithin } from '@taskgate/base';
import { logFailure } from '@taskgate/postgres';
import { defineModule } from '../platform/module.ts';
import { PacedWork } from '../platform/paced-work.ts';
import { endClaims, findSpacesOfEnded } from './rules.ts';

const failure = 'claims could not be ended';

/** A space whose lock another writer holds for longer delays no other space. */
const patienceMs = 50;

export const claims = defineModule({
  name: 'claims',
  background({ connections, changes }) {
    const begun = new Set<string>();
    const end = async (id: string) => {
      begun.add(id);
      await endClaims(connections, id)
        .then(() => changes.notify({ spaces: [id] }))
        .catch((error: unknown) => logFailure(error, failure, { spaceId: id }))
        .finally(() => begun.delete(id));
    };
    return [
      new PacedWork('claims', failure, async () => {
        const spaces = await findSpacesOfEnded(connections, [...begun]);
        await settlesWithin(patienceMs, Promise.all(spaces.map(({ id }) => end(id))));
        return spaces.length > 0;
      }),
    ];
  },
});
