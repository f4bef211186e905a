import { z } from 'zod';
import { email } from '../accounts/input.ts';
import { name, newEntityId } from '../kernel/input.ts';

export const createWorkspace = z.object({ id: newEntityId('Workspace'), name: name() });

export const workspaceName = z.object({ name: name() });

export const invitation = z.object({ email });
