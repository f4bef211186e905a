import { user, workspaces } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { texts } from '../texts.ts';

/** Names of the spaces that a program may reach, by id. */
export function useSpaceNames(): Readonly<Record<string, string>> {
  const me = useQuery(() => user);
  const all = useQuery(workspaces.all);
  const own = me ? [[me.id, texts.ownSpace]] : [];
  return Object.fromEntries([...own, ...all.map(({ id, name }) => [id, name])]) as Record<string, string>;
}

/** The choice `space` of a form: an id, or nothing for all spaces. */
export function SpaceField({ label }: { label: string }) {
  const names = useSpaceNames();
  return (
    <div class="field">
      <label for="space">{label}</label>
      <select id="space" name="space">
        <option value="">{texts.everything}</option>
        {Object.entries(names).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
