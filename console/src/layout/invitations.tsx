import { useState } from 'preact/hooks';
import { useRepeated } from '../app/repeated.ts';
import { client } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';

/** An offer of membership to who is signed in. */
interface Invitation {
  readonly id: string;
  readonly workspaceName: string;
  readonly invitedBy: { readonly name: string | null; readonly email: string | null };
}

const query = '{ viewer { invitations { id workspaceName invitedBy { name email } } } }';
const accept = 'mutation ($id: ID!) { acceptInvitation(id: $id) { id } }';
const decline = 'mutation ($id: ID!) { declineInvitation(id: $id) }';

/** Invitations to be answered, above whatever page is shown. */
export function Invitations() {
  const [open, setOpen] = useState<readonly Invitation[]>([]);
  const load = async () => {
    const { viewer } = await client.graphql<{ viewer: { invitations: typeof open } | null }>(query);
    setOpen(viewer?.invitations ?? []);
  };
  useRepeated(load);
  const answer = useAction(async (document: string, id: string) => {
    try {
      await client.graphql(document, { id });
    } finally {
      await load();
    }
  });
  return (
    <>
      <ul aria-label={texts.invitations} aria-live="polite">
        {open.map(({ id, workspaceName, invitedBy }) => (
          <li key={id} class="banner">
            <p>{texts.invited(invitedBy.name ?? invitedBy.email ?? '', workspaceName)}</p>
            <button type="button" disabled={answer.isBusy} onClick={() => answer.run(decline, id)}>
              {texts.decline}
            </button>
            <button type="button" class="primary" disabled={answer.isBusy} onClick={() => answer.run(accept, id)}>
              {texts.accept}
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
