import { z } from 'zod';
import { text } from '../../platform/input.ts';
import { code, email, password } from '../input.ts';

export const resetPassword = z.object({
  email,
  code,
  password,
  endOtherWaysIn: z.boolean().nullish().meta({
    description: 'Whether to remove passkeys and linked providers as well. False if absent.',
    'x-addition': true,
  }),
});

export const requestEmailChange = z.object({ email, password: text().nullish() });

export const confirmEmailChange = z.object({ code });
