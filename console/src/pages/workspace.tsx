import { projects, select, user, type Workspace, workspaces } from 'taskgate-client';
import { nameOf } from '../app/names.ts';
import { change, useQuery, waitUntilSent } from '../app/replica.ts';
import { go } from '../app/router.ts';
import { currentClient } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Avatar } from '../ui/avatar.tsx';
import { ask, askToConfirm, askName } from '../ui/dialog.tsx';
import { MoreButton } from '../ui/menu.tsx';
import { Missing } from './missing.tsx';

const invite = `mutation ($workspaceId: ID!, $email: String!) {
  inviteToWorkspace(workspaceId: $workspaceId, email: $email) { id }
}`;
const remove =
  'mutation ($workspaceId: ID!, $userId: ID!) { removeWorkspaceMember(workspaceId: $workspaceId, userId: $userId) { id } }';

function menuOf({ id, name, members }: Workspace) {
  const isLastMember = members.length <= 1;
  const [action, hint] = isLastMember
    ? [texts.deleteWorkspace, texts.deleteWorkspaceHint(name)]
    : [texts.leaveWorkspace, texts.leaveWorkspaceHint(name)];
  const end = () => {
    change(isLastMember ? 'deleteWorkspace' : 'leaveWorkspace', { id });
    go('/today', { replace: true });
  };
  return [
    {
      text: texts.rename,
      icon: 'note' as const,
      choose: () => askName(name, (next) => change('updateWorkspace', { id, name: next })),
    },
    {
      text: action,
      isDangerous: true,
      icon: 'trash' as const,
      choose: () => askToConfirm(action, hint, end),
    },
  ];
}

export function WorkspacePage({ id }: { id: string }) {
  const workspace = useQuery(() => workspaces.byId(id), [id]);
  const workspaceProjects = useQuery(
    () => select(projects.all(), (all) => all.filter(({ workspaceId }) => workspaceId === id)),
    [id],
  );
  const me = useQuery(() => user);
  const revoke = useAction((document: string, variables: Record<string, string>) =>
    currentClient().graphql(document, variables),
  );
  if (!workspace) return <Missing />;
  const { members, invitations, name } = workspace;
  const inviteSomebody = () =>
    ask({
      title: texts.inviteTo(name),
      label: texts.email,
      type: 'email',
      action: texts.sendInvitation,
      onConfirm: async (email) => {
        await waitUntilSent(id);
        await currentClient().graphql(invite, { workspaceId: id, email });
      },
    });
  return (
    <>
      <div class="heading">
        <h1 dir="auto">{name}</h1>
        <button type="button" class="primary" onClick={inviteSomebody}>
          {texts.invite}
        </button>
        <MoreButton label={texts.workspaceMenu} items={() => menuOf(workspace)} />
      </div>
      <h2>{texts.members}</h2>
      <ul class="rows" aria-label={texts.members}>
        {members.map((member) => (
          <li key={member.id}>
            <Avatar person={member} />
            <p>
              <span dir="auto">{nameOf(member)}</span>
              {member.name !== null && <span class="hint">{member.email}</span>}
            </p>
            {member.id !== me?.id && (
              <button
                type="button"
                onClick={() =>
                  askToConfirm(texts.removeMember, texts.removeMemberHint(nameOf(member), name), () =>
                    currentClient().graphql(remove, { workspaceId: id, userId: member.id }),
                  )
                }
              >
                {texts.removeMember}
              </button>
            )}
          </li>
        ))}
      </ul>
      {invitations.length > 0 && <h2>{texts.openInvitations}</h2>}
      <ul class="rows" aria-label={texts.openInvitations}>
        {invitations.map((invitation) => (
          <li key={invitation.id}>
            <p>{invitation.email}</p>
            <button
              type="button"
              onClick={() => revoke.run('mutation ($id: ID!) { revokeInvitation(id: $id) }', { id: invitation.id })}
            >
              {texts.revoke}
            </button>
          </li>
        ))}
      </ul>
      <p role="alert" class="problem">
        {revoke.problem}
      </p>
      {workspaceProjects.length > 0 && <h2>{texts.projects}</h2>}
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
