import { useEffect, useMemo, useState } from 'preact/hooks';
import { status, type Task } from 'taskgate-client';
import { formatMoment } from '../app/days.ts';
import { useQuery } from '../app/replica.ts';
import { useCanEdit } from '../app/roles.ts';
import { request } from '../app/session.ts';
import { notify } from '../app/notice.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { describe } from './describe-change.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/form.tsx';

interface Entry {
  readonly kind: string;
  readonly fields: readonly ({ readonly name: string } & Record<'before' | 'after', unknown>)[];
  readonly operation: {
    readonly id: string;
    readonly at: string;
    readonly summary: string;
    readonly undoable: boolean;
    readonly undoneBy: string | null;
    readonly actor: { readonly name: string | null; readonly email: string | null } | null;
  };
}

const query = `query ($id: ID!) {
  task(id: $id) {
    history(first: 50) { nodes { kind fields { name before after } operation { id at summary undoable undoneBy actor { name email } } } }
  }
}`;
const undo = 'mutation ($id: ID!) { undo(operationId: $id) { applied } }';

/** Longer histories are folded. */
const maxUnfolded = 5;

export function History({ task: { id, projectId, updatedAt } }: { task: Task }) {
  const isEditable = useCanEdit(projectId);
  const isLive = useQuery(() => status) === 'live';
  const [entries, setEntries] = useState<readonly Entry[]>();
  const load = async () => {
    const { task } = await request<{ task: { history: { nodes: readonly Entry[] } } | null }>(query, { id });
    setEntries(task?.history.nodes ?? []);
  };
  useEffect(() => {
    if (isLive) void load().catch(() => undefined);
  }, [id, updatedAt, isLive]);
  const undoAction = useAction(async (operationId: string) => {
    const { undo: result } = await request<{ undo: { applied: number } }>(undo, { id: operationId });
    notify(result.applied > 0 ? texts.undone : texts.nothingUndone);
    await load();
  });
  // A history that grows while it is shown stays open.
  const isFolded = useMemo(() => (entries?.length ?? 0) > maxUnfolded, [entries === undefined]);
  return (
    <details class="part history" open={!isFolded}>
      <summary>
        <h3>{texts.history}</h3>
      </summary>
      {entries === undefined && <p class="hint">{isLive ? texts.opening : texts.historyOffline}</p>}
      <ol aria-label={texts.history} role="list">
        {entries?.map(({ kind, fields, operation }) => (
          <li key={operation.id}>
            <p>
              <span dir="auto">{describe(kind, fields) || operation.summary}</span>
              <span class="hint">
                {operation.actor?.name ?? operation.actor?.email} · {formatMoment(operation.at)}
                {operation.undoneBy !== null && ` · ${texts.undoneNote}`}
              </span>
            </p>
            {isEditable && (
              <Button
                text={texts.undo}
                aria-disabled={!operation.undoable || undoAction.isBusy}
                onClick={() => operation.undoable && undoAction.run(operation.id)}
              />
            )}
          </li>
        ))}
      </ol>
      <Problem>{undoAction.problem}</Problem>
    </details>
  );
}
