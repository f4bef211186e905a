import { projects, select, type Workspace, workspaces } from 'taskgate-client';
import { change, useQuery, waitUntilSent } from '../app/replica.ts';
import { hasRole } from '../app/rights.ts';
import { go } from '../app/router.ts';
import { request } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { ask, askToConfirm } from '../ui/dialog.tsx';
import { Problem } from '../ui/form.tsx';
import { MoreButton } from '../ui/menu.tsx';
import { renameItem } from '../ui/rename-item.ts';
import { RoleNote } from '../ui/role-note.tsx';
import { Empty } from './empty.tsx';
import { Members } from './members.tsx';
import { Missing } from './missing.tsx';
import { newProject } from './new-entities.ts';

const invite = `mutation ($workspaceId: ID!, $email: String!, $role: WorkspaceRole) {
  inviteToWorkspace(workspaceId: $workspaceId, email: $email, role: $role) { id }
}`;

const revokeInvitation = 'mutation ($id: ID!) { revokeInvitation(id: $id) }';

const isOnlyAdmin = ({ role, memberships }: Workspace) =>
  role === 'ADMIN' && memberships.filter((each) => each.role === 'ADMIN').length === 1;

function menuOf(workspace: Workspace) {
  const { id, name, members } = workspace;
  const isLastMember = members.length <= 1;
  const [action, hint] = isLastMember
    ? [texts.deleteWorkspace, texts.deleteWorkspaceHint(name)]
    : [texts.leaveWorkspace, texts.leaveWorkspaceHint(name)];
  const end = () => {
    change(isLastMember ? 'deleteWorkspace' : 'leaveWorkspace', { id });
    go('/today', { replace: true });
  };
  const rename = renameItem(name, (next) => change('updateWorkspace', { id, name: next }));
  return [
    ...(hasRole(workspace, 'ADMIN') ? [rename] : []),
    {
      text: action,
      isDangerous: true,
      icon: 'trash' as const,
      choose: () =>
        isOnlyAdmin(workspace) && !isLastMember
          ? ask({ title: action, text: texts.lastAdmin, action: texts.close })
          : askToConfirm(action, hint, end),
    },
  ];
}

export function WorkspacePage({ id }: { id: string }) {
  const workspace = useQuery(() => workspaces.byId(id), [id]);
  const workspaceProjects = useQuery(
    () => select(projects.all(), (all) => all.filter(({ workspaceId }) => workspaceId === id)),
    [id],
  );
  const revoke = useAction((invitationId: string) => request(revokeInvitation, { id: invitationId }));
  if (!workspace) return <Missing />;
  const { invitations, name } = workspace;
  const isAdmin = hasRole(workspace, 'ADMIN');
  const inviteSomebody = () =>
    ask({
      title: texts.inviteTo(name),
      label: texts.email,
      type: 'email',
      choice: { label: texts.role, texts: texts.roles, value: 'EDITOR' },
      action: texts.sendInvitation,
      onConfirm: async (email, role) => {
        await waitUntilSent(id);
        await request(invite, { workspaceId: id, email, role });
      },
    });
  return (
    <>
      <div class="heading">
        <h1 dir="auto">{name}</h1>
        {isAdmin && <Button text={texts.invite} class="primary" onClick={inviteSomebody} />}
        <MoreButton label={texts.workspaceMenu} items={() => menuOf(workspace)} />
      </div>
      <RoleNote workspace={workspace} />
      <Members workspace={workspace} />
      {invitations.length > 0 && <h2>{texts.openInvitations}</h2>}
      <ul class="rows" aria-label={texts.openInvitations}>
        {invitations.map((invitation) => (
          <li key={invitation.id}>
            <p>
              <span>{invitation.email}</span>
              <span class="hint">{texts.roles[invitation.role]}</span>
            </p>
            {isAdmin && <Button text={texts.revoke} onClick={() => revoke.run(invitation.id)} />}
          </li>
        ))}
      </ul>
      <Problem>{revoke.problem}</Problem>
      <h2>{texts.projects}</h2>
      {workspaceProjects.length === 0 && (
        <Empty text={texts.noProjects}>
          {hasRole(workspace, 'EDITOR') && <Button text={texts.newProject} onClick={() => newProject(id)} />}
        </Empty>
      )}
      <ul class="rows">
        {workspaceProjects.map((project) => (
          <li key={project.id}>
            <a href={`/projects/${project.id}`} dir="auto">
              {project.name}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
