import { z } from 'zod';
import { name, text } from '../kernel/input.ts';

export const workspaceName = z.object({ name: name() });

/** An address as accounts keep it: trimmed, in lower case. Whether there is one decides; its form does not matter. */
export const memberEmail = z.object({ email: text().trim().toLowerCase() });
