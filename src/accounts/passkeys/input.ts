import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { name, text } from '../../platform/input.ts';

/** `PublicKeyCredential` as JSON. The library checks other fields. */
const responseWith = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.looseObject({ id: text(), response: z.looseObject({ clientDataJSON: text(), ...shape }) });

/** Leaves room for future names of the standard. */
const transports = z.array(text().max(32, { error: 'must be at most 32 characters long' })).max(16, {
  error: 'must be at most 16 names',
});

export const finishRegistration = z.object({
  response: responseWith({ attestationObject: text(), transports: transports.optional() }).transform(
    (read: unknown) => read as RegistrationResponseJSON,
  ),
  name: name(),
});

export const finishSignIn = z.object({
  response: responseWith({ userHandle: text().nullish() }).transform(
    (read: unknown) => read as AuthenticationResponseJSON,
  ),
});
