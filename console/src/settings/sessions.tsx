import { formatMoment } from '../app/days.ts';
import { request } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { leaveAccount } from '../ui/leave-account.ts';
import { useViewer } from './use-viewer.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/form.tsx';

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
  const end = useAction((id: string) => request('mutation ($id: ID!) { endSession(id: $id) }', { id }).then(load));
  const endOthers = useAction(() => request('mutation { endOtherSessions }').then(load));
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
            <Button
              text={texts.signOut}
              aria-disabled={end.isBusy}
              onClick={() => (session.current ? leaveAccount() : end.run(session.id))}
            />
          </li>
        ))}
      </ul>
      {viewer && viewer.sessions.length > 1 && (
        <Button text={texts.endOthers} aria-disabled={endOthers.isBusy} onClick={() => endOthers.run()} />
      )}
      <Problem>{end.problem ?? endOthers.problem ?? problem}</Problem>
    </section>
  );
}
