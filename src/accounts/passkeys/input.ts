import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { name, text } from '../../kernel/input.ts';

/** `toJSON()` of a browser's `PublicKeyCredential`: what is read before the library checks all of it. */
const response = z.looseObject({
  id: text(),
  response: z.looseObject({ clientDataJSON: text() }),
});

export const finishRegistration = z.object({
  response: response.transform((read: unknown) => read as RegistrationResponseJSON),
  name: name(),
});

export const finishSignIn = z.object({
  response: response.transform((read: unknown) => read as AuthenticationResponseJSON),
});
