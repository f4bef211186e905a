import { useState } from 'preact/hooks';
import { useRepeated } from '../app/repeated.ts';
import { client } from '../app/session.ts';

/** Invitations to a workspace that nobody has answered. @param members of it: who has become one was invited before */
export function useOpenInvitations(workspaceId: string, members: unknown) {
  const [list, setList] = useState<readonly { readonly id: string; readonly email: string }[]>([]);
  const load = async () => {
    const { workspace } = await client.graphql<{ workspace: { invitations: typeof list } | null }>(
      'query ($id: ID!) { workspace(id: $id) { invitations { id email } } }',
      { id: workspaceId },
    );
    setList(workspace?.invitations ?? []);
  };
  useRepeated(load, [workspaceId, members]);
  return { list, load };
}
