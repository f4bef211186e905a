import { select, user, type User } from 'taskgate-client';
import { nameOf } from '../app/names.ts';
import { useQuery } from '../app/replica.ts';
import { request } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/form.tsx';

const accept = 'mutation ($id: ID!) { acceptInvitation(id: $id) { id } }';
const decline = 'mutation ($id: ID!) { declineInvitation(id: $id) }';

const noInvitations: NonNullable<User['invitations']> = [];

export function Invitations() {
  const invitations = useQuery(() => select(user, (me) => me?.invitations ?? noInvitations));
  const respond = useAction((document: string, id: string) => request(document, { id }));
  return (
    <>
      <ul aria-label={texts.invitations} aria-live="polite">
        {invitations.map(({ id, workspaceName, invitedBy }) => (
          <li key={id} class="banner">
            <p>{texts.invited(nameOf(invitedBy), workspaceName)}</p>
            <Button text={texts.decline} aria-disabled={respond.isBusy} onClick={() => respond.run(decline, id)} />
            <Button
              text={texts.accept}
              class="primary"
              aria-disabled={respond.isBusy}
              onClick={() => respond.run(accept, id)}
            />
          </li>
        ))}
      </ul>
      <Problem>{respond.problem}</Problem>
    </>
  );
}
