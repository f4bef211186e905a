import { workspaces } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { texts } from '../texts.ts';
import { Empty } from './empty.tsx';
import { newWorkspace } from './new-entities.ts';
import { Button } from '../ui/button.tsx';

export function Workspaces() {
  const allWorkspaces = useQuery(workspaces.all);
  return (
    <>
      <h1>{texts.pages['workspaces']}</h1>
      <ul class="rows">
        {allWorkspaces.map(({ id, name }) => (
          <li key={id}>
            <a href={`/workspaces/${id}`} dir="auto">
              {name}
            </a>
          </li>
        ))}
      </ul>
      {allWorkspaces.length === 0 && (
        <Empty text={texts.noWorkspaces}>
          <Button text={texts.newWorkspace} onClick={newWorkspace} />
        </Empty>
      )}
    </>
  );
}
