import { z } from 'zod';
import { text } from '../../platform/input.ts';

export const factorCode = z.object({ code: text() });
