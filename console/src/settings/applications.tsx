import { useState } from 'preact/hooks';
import { formatMoment } from '../app/days.ts';
import { useLoading } from '../app/replica.ts';
import { request } from '../app/session.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { askToConfirm } from '../ui/dialog.tsx';
import { useViewer } from './use-viewer.ts';
import { Problem } from '../ui/form.tsx';

interface Application {
  readonly id: string;
  readonly name: string;
  readonly redirectHost: string;
  readonly scopes: readonly string[];
  readonly lastUsedAt: string | null;
}

const revoke = 'mutation ($id: ID!) { revokeApplication(id: $id) }';

export function Applications() {
  const { viewer, problem, load } = useViewer<{ applications: readonly Application[] }>(
    'applications { id name redirectHost scopes lastUsedAt }',
  );
  const [address, setAddress] = useState<string>();
  // This page may have another address than the public one.
  useLoading(() =>
    fetch('/.well-known/oauth-protected-resource/mcp')
      .then(async (response) => setAddress(((await response.json()) as { resource: string }).resource))
      .catch(() => undefined),
  );
  const disconnect = ({ id, name }: Application) =>
    askToConfirm(texts.disconnect, texts.disconnectHint(name), () => request(revoke, { id }).then(load));
  return (
    <>
      <p class="hint">{texts.applicationsHint}</p>
      {viewer?.applications.length === 0 && <p>{texts.noApplications}</p>}
      <ul class="rows" aria-label={texts.applications}>
        {viewer?.applications.map((application) => (
          <li key={application.id}>
            <p>
              {application.name}
              <span class="hint">
                {texts.ofHost(application.redirectHost)} ·{' '}
                {application.scopes.includes('WRITE') ? texts.mayScopes.WRITE : texts.mayScopes.READ} ·{' '}
                {application.lastUsedAt === null ? texts.neverUsed : texts.usedAt(formatMoment(application.lastUsedAt))}
              </span>
            </p>
            <Button text={texts.disconnect} onClick={() => disconnect(application)} />
          </li>
        ))}
      </ul>
      <Problem>{problem}</Problem>
      <section class="part">
        <h3>{texts.connectAssistant}</h3>
        <p class="hint">{texts.connectAssistantHint}</p>
        <p>
          <code>{address}</code>
        </p>
      </section>
    </>
  );
}
