import type { z } from 'zod';
import { preferencesFields } from '../../src/accounts/fields.ts';
import { entity } from '../entity.ts';

export const preferences = entity('Preferences', preferencesFields);

export const allPreferences = preferences.response.meta({
  id: 'AllPreferences',
  description: 'The mails that an account receives, their times, and its time zone.',
});

/** Additions to the contract. */
export const added = { timeZone: true, activityMails: true } as const;

/** Contract, part 2. */
export const preferencesOfContract = allPreferences
  .omit(added)
  .meta({ id: 'Preferences', description: 'The mails that an account receives, and their times.' });

export const shownByContract = ({
  timeZone: _zone,
  activityMails: _mails,
  ...shown
}: Omit<z.output<typeof allPreferences>, keyof typeof added> & Record<keyof typeof added, unknown>) => shown;
