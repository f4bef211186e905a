import type { z } from 'zod';
import { preferencesFields } from '../../src/accounts/fields.ts';
import { entity } from '../entity.ts';

export const preferences = entity('Preferences', preferencesFields);

/** All preferences: the contract shows no time zone. */
export const allPreferences = preferences.response.meta({
  id: 'AllPreferences',
  description: 'Which mails an account has, and when, with its time zone.',
});

/** Contract, part 2: user preferences. */
export const preferencesOfContract = allPreferences
  .omit({ timeZone: true })
  .meta({ id: 'Preferences', description: 'Which mails an account has, and when.' });

export const withoutTimeZone = ({ timeZone: _timeZone, ...shown }: z.output<typeof allPreferences>) => shown;
