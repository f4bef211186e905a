import { z } from 'zod';
import { email } from '../accounts/input.ts';
import { name } from '../kernel/input.ts';

export const workspaceName = z.object({ name: name() });

export const invitation = z.object({ email });
