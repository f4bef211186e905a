import { formatMoment } from '../app/days.ts';
import { currentClient, leave } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { useViewer } from './use-viewer.ts';

interface Session {
  readonly id: string;
  readonly device: string;
  readonly current: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string;
}

export function Sessions() {
  const { viewer, problem, load } = useViewer<{ sessions: readonly Session[] }>(
    'sessions { id device current createdAt lastUsedAt }',
  );
  const end = useAction(async ({ id, current }: Session) => {
    await currentClient().graphql('mutation ($id: ID!) { endSession(id: $id) }', { id });
    if (current) await leave();
    else await load();
  });
  const endOthers = useAction(async () => {
    await currentClient().graphql('mutation { endOtherSessions }');
    await load();
  });
  return (
    <section class="part" aria-label={texts.sessions}>
      <h3>{texts.sessions}</h3>
      <ul class="rows" aria-label={texts.sessions}>
        {viewer?.sessions.map((session) => (
          <li key={session.id}>
            <p>
              {session.device} {session.current && <strong>{texts.thisDevice}</strong>}
              <span class="hint">{texts.usedAt(formatMoment(session.lastUsedAt))}</span>
            </p>
            <button type="button" aria-disabled={end.isBusy} onClick={() => end.run(session)}>
              {texts.signOut}
            </button>
          </li>
        ))}
      </ul>
      {viewer && viewer.sessions.length > 1 && (
        <button type="button" aria-disabled={endOthers.isBusy} onClick={() => endOthers.run()}>
          {texts.endOthers}
        </button>
      )}
      <p role="alert" class="problem">
        {end.problem ?? endOthers.problem ?? problem}
      </p>
    </section>
  );
}
