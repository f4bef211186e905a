import { z } from 'zod';
import { email } from '../platform/email.ts';
import { name } from '../platform/input.ts';
import { roles } from '../platform/roles.ts';
import { shapesOf } from '../platform/shapes.ts';
import { workspaceFields } from './fields.ts';

export const createWorkspace = z.object(shapesOf(workspaceFields, 'create'));

export const workspaceName = z.object({ name: name() });

export const invitation = z.object({ email, role: z.enum(roles) });
