import { z } from 'zod';
import { text } from '../../kernel/input.ts';

/** A code of the app or a recovery code. */
export const factorCode = z.object({ code: text() });
