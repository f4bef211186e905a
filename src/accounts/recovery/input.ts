import { z } from 'zod';
import { text } from '../../kernel/input.ts';
import { code, email, password } from '../input.ts';

export const resetPassword = z.object({ email, code, password });

export const requestEmailChange = z.object({ email, password: text().nullish() });

export const confirmEmailChange = z.object({ code });
