import type { z } from 'zod';
import { preferencesFields } from '../../src/accounts/fields.ts';
import { entity } from '../entity.ts';

export const preferences = entity('Preferences', preferencesFields);

/** The contract has no time zone. */
export const allPreferences = preferences.response.meta({
  id: 'AllPreferences',
  description: 'The mails that an account receives, their times, and its time zone.',
});

/** Contract, part 2. */
export const preferencesOfContract = allPreferences
  .omit({ timeZone: true })
  .meta({ id: 'Preferences', description: 'The mails that an account receives, and their times.' });

export const withoutTimeZone = ({ timeZone: _timeZone, ...shown }: z.output<typeof allPreferences>) => shown;
