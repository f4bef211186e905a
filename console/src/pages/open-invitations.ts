import { useEffect, useState } from 'preact/hooks';
import { client } from '../app/session.ts';

/** Invitations to a workspace that nobody has answered. */
export function useOpenInvitations(workspaceId: string) {
  const [list, setList] = useState<readonly { readonly id: string; readonly email: string }[]>([]);
  const load = async () => {
    const { workspace } = await client.graphql<{ workspace: { invitations: typeof list } | null }>(
      'query ($id: ID!) { workspace(id: $id) { invitations { id email } } }',
      { id: workspaceId },
    );
    setList(workspace?.invitations ?? []);
  };
  useEffect(() => void load().catch(() => undefined), [workspaceId]);
  return { list, load };
}
