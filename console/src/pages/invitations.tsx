import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { client } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';

/** An offer of membership to who is signed in. */
interface Invitation {
  readonly id: string;
  readonly workspaceName: string;
  readonly invitedBy: { readonly name: string | null; readonly email: string | null };
}

const open = signal<readonly Invitation[]>([]);
const query = '{ viewer { invitations { id workspaceName invitedBy { name email } } } }';

/** Milliseconds after which a page that is looked at asks again. */
const intervalMs = 30_000;

/** Asks for the invitations that are open: no batch of the replica brings them. */
async function load(): Promise<void> {
  if (document.visibilityState === 'hidden') return;
  const { viewer } = await client.graphql<{ viewer: { invitations: readonly Invitation[] } | null }>(query);
  open.value = viewer?.invitations ?? [];
}

const loadAgain = () => void load().catch(() => undefined);

/** The invitations that are open, as of a moment ago. */
export function useInvitations(): readonly Invitation[] {
  useEffect(() => {
    loadAgain();
    const timer = setInterval(loadAgain, intervalMs);
    addEventListener('focus', loadAgain);
    return () => {
      clearInterval(timer);
      removeEventListener('focus', loadAgain);
      // Those of the next account are others.
      open.value = [];
    };
  }, []);
  return open.value;
}

const accept = 'mutation ($id: ID!) { acceptInvitation(id: $id) { id } }';
const decline = 'mutation ($id: ID!) { declineInvitation(id: $id) }';

/** Invitations to be answered. */
export function Invitations() {
  const answer = useAction(async (document: string, id: string) => {
    await client.graphql(document, { id });
    await load();
  });
  return (
    <>
      <h1>{texts.invitations}</h1>
      {open.value.length === 0 && <p class="empty">{texts.noInvitations}</p>}
      <ul class="rows" aria-label={texts.invitations}>
        {open.value.map(({ id, workspaceName, invitedBy }) => (
          <li key={id}>
            <p>{texts.invited(invitedBy.name ?? invitedBy.email ?? '', workspaceName)}</p>
            <button type="button" class="primary" disabled={answer.isBusy} onClick={() => answer.run(accept, id)}>
              {texts.accept}
            </button>
            <button type="button" disabled={answer.isBusy} onClick={() => answer.run(decline, id)}>
              {texts.decline}
            </button>
          </li>
        ))}
      </ul>
      <p role="alert" class="problem">
        {answer.problem}
      </p>
    </>
  );
}
