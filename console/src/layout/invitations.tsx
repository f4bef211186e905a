import { select, user, type User } from 'taskgate-client';
import { nameOf } from '../app/names.ts';
import { useQuery } from '../app/replica.ts';
import { currentClient } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';

const accept = 'mutation ($id: ID!) { acceptInvitation(id: $id) { id } }';
const decline = 'mutation ($id: ID!) { declineInvitation(id: $id) }';

const noInvitations: NonNullable<User['invitations']> = [];

export function Invitations() {
  const invitations = useQuery(() => select(user, (me) => me?.invitations ?? noInvitations));
  const respond = useAction((document: string, id: string) => currentClient().graphql(document, { id }));
  return (
    <>
      <ul aria-label={texts.invitations} aria-live="polite">
        {invitations.map(({ id, workspaceName, invitedBy }) => (
          <li key={id} class="banner">
            <p>{texts.invited(nameOf(invitedBy), workspaceName)}</p>
            <button type="button" aria-disabled={respond.isBusy} onClick={() => respond.run(decline, id)}>
              {texts.decline}
            </button>
            <button
              type="button"
              class="primary"
              aria-disabled={respond.isBusy}
              onClick={() => respond.run(accept, id)}
            >
              {texts.accept}
            </button>
          </li>
        ))}
      </ul>
      <p role="alert" class="problem">
        {respond.problem}
      </p>
    </>
  );
}
