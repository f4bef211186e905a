import { z } from 'zod';
import { text } from '../../kernel/input.ts';

export const factorCode = z.object({ code: text() });
