import { z } from 'zod';
import { text } from '../../kernel/input.ts';

/** A code of an authenticator app, or a recovery code: what else it may be is wrong like any other. */
export const factorCode = z.object({ code: text() });
