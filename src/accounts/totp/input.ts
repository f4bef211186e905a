import { z } from 'zod';
import { text } from '../../kernel/input.ts';

/** A code of the app or a recovery code. Any other text is just a wrong code. */
export const factorCode = z.object({ code: text() });
