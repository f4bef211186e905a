import type { Workspace } from 'taskgate-client';
import { texts } from '../texts.ts';

/** Says what a role does not allow. */
export const RoleNote = ({ workspace }: { workspace: Pick<Workspace, 'role'> | undefined }) => {
  const text = workspace && texts.roleNotes[workspace.role];
  return text === undefined ? null : <p class="role-note">{text}</p>;
};
