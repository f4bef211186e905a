import { z } from 'zod';
import { text } from '../../kernel/input.ts';

/** From the app, or a recovery code. */
export const factorCode = z.object({ code: text() });
