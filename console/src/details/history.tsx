import { useEffect, useState } from 'preact/hooks';
import { type Recurrence, status, type Task } from 'taskgate-client';
import { formatMoment } from '../app/days.ts';
import { useQuery } from '../app/replica.ts';
import { useCanEdit } from '../app/roles.ts';
import { currentClient } from '../app/session.ts';
import { notify } from '../app/notice.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';

interface Entry {
  readonly kind: string;
  /** Only the values of `recurrence` are read. */
  readonly fields: readonly ({ readonly name: string } & Record<'before' | 'after', Recurrence | null>)[];
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

function describe({ name, before, after }: Entry['fields'][number]): string {
  const label = texts.fields[name] ?? name;
  if (name !== 'recurrence') return label;
  const [from, to] = [before, after].map((value) => (value ? texts.summary(value, value.start) : texts.presets.never));
  return from === to ? label : texts.changed(label, from, to);
}

export function History({ task: { id, projectId, updatedAt } }: { task: Task }) {
  const isEditable = useCanEdit(projectId);
  const isLive = useQuery(() => status) === 'live';
  const [entries, setEntries] = useState<readonly Entry[]>();
  const load = async () => {
    const { task } = await currentClient().graphql<{ task: { history: { nodes: readonly Entry[] } } | null }>(query, {
      id,
    });
    setEntries(task?.history.nodes ?? []);
  };
  useEffect(() => {
    if (isLive) void load().catch(() => undefined);
  }, [id, updatedAt, isLive]);
  const undoAction = useAction(async (operationId: string) => {
    const { undo: result } = await currentClient().graphql<{ undo: { applied: number } }>(undo, { id: operationId });
    notify(result.applied > 0 ? texts.undone : texts.nothingUndone);
    await load();
  });
  return (
    <section class="part history">
      <h3>{texts.history}</h3>
      {entries === undefined && <p class="hint">{isLive ? texts.opening : texts.historyOffline}</p>}
      <ol aria-label={texts.history} role="list">
        {entries?.map(({ kind, fields, operation }) => (
          <li key={operation.id}>
            <p>
              <span dir="auto">{operation.summary}</span>
              <span class="hint">
                {kind === 'UPDATED' && `${fields.map(describe).join(', ')} · `}
                {operation.actor?.name ?? operation.actor?.email} · {formatMoment(operation.at)}
                {operation.undoneBy !== null && ` · ${texts.undoneNote}`}
              </span>
            </p>
            {isEditable && (
              <button
                type="button"
                aria-disabled={!operation.undoable || undoAction.isBusy}
                onClick={() => operation.undoable && undoAction.run(operation.id)}
              >
                {texts.undo}
              </button>
            )}
          </li>
        ))}
      </ol>
      <p role="alert" class="problem">
        {undoAction.problem}
      </p>
    </section>
  );
}
