import { z } from 'zod';
import { email } from '../kernel/email.ts';
import { name } from '../kernel/input.ts';
import { shapesOf } from '../kernel/shapes.ts';
import { workspaceFields } from './fields.ts';

export const createWorkspace = z.object(shapesOf(workspaceFields, 'create'));

export const workspaceName = z.object({ name: name() });

export const invitation = z.object({ email });
