import { projects, select, type Workspace, workspaces } from 'taskgate-client';
import { change, useQuery, waitUntilSent } from '../app/replica.ts';
import { hasRole } from '../app/rights.ts';
import { go } from '../app/router.ts';
import { currentClient } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { ask, askToConfirm, askName } from '../ui/dialog.tsx';
import { MoreButton } from '../ui/menu.tsx';
import { RoleNote } from '../ui/role-note.tsx';
import { Empty } from './empty.tsx';
import { Members } from './members.tsx';
import { Missing } from './missing.tsx';
import { newProject } from './new-entities.ts';

const invite = `mutation ($workspaceId: ID!, $email: String!, $role: WorkspaceRole) {
  inviteToWorkspace(workspaceId: $workspaceId, email: $email, role: $role) { id }
}`;

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
  const rename = {
    text: texts.rename,
    icon: 'note' as const,
    choose: () => askName(name, (next) => change('updateWorkspace', { id, name: next })),
  };
  return [
    ...(hasRole(workspace, 'ADMIN') ? [rename] : []),
    {
      text: action,
      isDangerous: true,
      icon: 'trash' as const,
      choose: () =>
        isOnlyAdmin(workspace) && !isLastMember
          ? ask({ title: action, text: texts.lastAdmin, action: texts.close, onConfirm: () => undefined })
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
  const revoke = useAction((document: string, variables: Record<string, string>) =>
    currentClient().graphql(document, variables),
  );
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
        await currentClient().graphql(invite, { workspaceId: id, email, role });
      },
    });
  return (
    <>
      <div class="heading">
        <h1 dir="auto">{name}</h1>
        {isAdmin && (
          <button type="button" class="primary" onClick={inviteSomebody}>
            {texts.invite}
          </button>
        )}
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
            {isAdmin && (
              <button
                type="button"
                onClick={() => revoke.run('mutation ($id: ID!) { revokeInvitation(id: $id) }', { id: invitation.id })}
              >
                {texts.revoke}
              </button>
            )}
          </li>
        ))}
      </ul>
      <p role="alert" class="problem">
        {revoke.problem}
      </p>
      <h2>{texts.projects}</h2>
      {workspaceProjects.length === 0 && (
        <Empty text={texts.noProjects}>
          {hasRole(workspace, 'EDITOR') && (
            <button type="button" onClick={() => newProject(id)}>
              {texts.newProject}
            </button>
          )}
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
