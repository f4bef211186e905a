import { useState } from 'preact/hooks';
import { workspaces } from 'taskgate-client';
import { formatMoment } from '../app/days.ts';
import { change, useLoading, useQuery } from '../app/replica.ts';
import { hasRole } from '../app/rights.ts';
import { request } from '../app/session.ts';
import { notify } from '../app/notice.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { askToConfirm } from '../ui/dialog.tsx';
import { Empty } from './empty.tsx';
import { Problem } from '../ui/form.tsx';

/** `entities` counts the entity and everything deleted with it. */
interface TrashEntry {
  readonly id: string;
  readonly spaceId: string;
  readonly title: string;
  readonly type: string;
  readonly entities: number;
  readonly deletedAt: string;
}

const query = '{ trash(first: 200) { nodes { id spaceId title type entities deletedAt } } }';
const emptyMutation = 'mutation ($ids: [ID!]) { emptyTrash(ids: $ids) }';

export function Trash() {
  const [entries, setEntries] = useState<readonly TrashEntry[]>();
  const load = useAction(async () => {
    setEntries((await request<{ trash: { nodes: readonly TrashEntry[] } }>(query)).trash.nodes);
  });
  useLoading(load.run);
  const restore = useAction(async ({ id, title }: TrashEntry) => {
    await change('restore', { ids: [id] }, texts.restored(title)).settled;
    await load.run();
  });
  const allWorkspaces = useQuery(workspaces.all);
  const mayRestore = ({ spaceId, type }: TrashEntry) =>
    hasRole(
      allWorkspaces.find(({ id }) => id === spaceId),
      type === 'COMMENT' ? 'COMMENTER' : 'EDITOR',
    );
  const ids = entries?.filter(mayRestore).map(({ id }) => id) ?? [];
  const emptyAll = async () => {
    await request(emptyMutation, { ids });
    notify(texts.trashEmptied);
    await load.run();
  };
  return (
    <>
      <div class="heading">
        <h1>{texts.trash}</h1>
        {ids.length > 0 && (
          <Button
            text={texts.emptyTrash}
            class="dangerous"
            onClick={() => askToConfirm(texts.emptyTrash, texts.emptyTrashHint, emptyAll)}
          />
        )}
      </div>
      <ul class="rows" aria-label={texts.trash}>
        {entries?.map((entry) => {
          const { id, title, type, entities, deletedAt } = entry;
          return (
            <li key={id}>
              <p>
                <span dir="auto">{title}</span>
                <span class="hint">
                  {texts.types[type]} · {texts.deletedAt(formatMoment(deletedAt))}
                  {entities > 1 && ` · ${texts.withOthers(entities - 1)}`}
                </span>
              </p>
              {mayRestore(entry) && (
                <Button text={texts.restore} aria-disabled={restore.isBusy} onClick={() => restore.run(entry)} />
              )}
            </li>
          );
        })}
      </ul>
      {!entries && !load.problem && <p class="empty">{texts.opening}</p>}
      {entries?.length === 0 && <Empty text={texts.emptyTrashNote} goTo="today" />}
      <Problem>{load.problem ?? restore.problem}</Problem>
    </>
  );
}
