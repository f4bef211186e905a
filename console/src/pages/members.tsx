import { user, type Workspace, type WorkspaceRole } from 'taskgate-client';
import { nameOf } from '../app/names.ts';
import { useQuery } from '../app/replica.ts';
import { hasRole, roles } from '../app/rights.ts';
import { request } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { askToConfirm } from '../ui/dialog.tsx';
import { Problem } from '../ui/form.tsx';

const setRole = `mutation ($workspaceId: ID!, $userId: ID!, $role: WorkspaceRole!) {
  setWorkspaceRole(workspaceId: $workspaceId, userId: $userId, role: $role) { id }
}`;
const remove =
  'mutation ($workspaceId: ID!, $userId: ID!) { removeWorkspaceMember(workspaceId: $workspaceId, userId: $userId) { id } }';

/** Only ADMINs change roles. */
export function Members({ workspace }: { workspace: Workspace }) {
  const { id, name, memberships } = workspace;
  const me = useQuery(() => user);
  const isAdmin = hasRole(workspace, 'ADMIN');
  const change = useAction((userId: string, role: WorkspaceRole) =>
    request(setRole, { workspaceId: id, userId, role }),
  );
  return (
    <>
      <h2>{texts.members}</h2>
      <ul class="rows" aria-label={texts.members}>
        {memberships.map(({ member, role }) => (
          <li key={member.id}>
            <Avatar person={member} />
            <p>
              <span dir="auto">{nameOf(member)}</span>
              {member.name !== null && <span class="hint">{member.email}</span>}
            </p>
            {isAdmin ? (
              <select
                aria-label={texts.roleOf(nameOf(member))}
                value={role}
                onChange={({ currentTarget }) => {
                  const chosen = currentTarget.value as WorkspaceRole;
                  // The batch with the change shows it.
                  currentTarget.value = role;
                  void change.run(member.id, chosen);
                }}
              >
                {roles.map((each) => (
                  <option key={each} value={each}>
                    {texts.roles[each]}
                  </option>
                ))}
              </select>
            ) : (
              <span class="hint">{texts.roles[role]}</span>
            )}
            {isAdmin && member.id !== me?.id && (
              <Button
                text={texts.removeMember}
                onClick={() =>
                  askToConfirm(texts.removeMember, texts.removeMemberHint(nameOf(member), name), () =>
                    request(remove, { workspaceId: id, userId: member.id }),
                  )
                }
              />
            )}
          </li>
        ))}
      </ul>
      <Problem>{change.code === 'FORBIDDEN' ? texts.needsAdmin : change.problem}</Problem>
      <p class="hint">{texts.rolesHint}</p>
    </>
  );
}
