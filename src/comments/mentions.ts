import { entities } from '../platform/entities.ts';

const mention = new RegExp(`@(${entities.User.prefix}_[0-7][0-9a-hjkmnp-tv-z]{25})(?![0-9A-Za-z_])`, 'g');

/** Returns the ids in the form of a mention, each once. Of these, members of the task's space are mentioned. */
export const mentionsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(mention)].map(([, id = '']) => id)),
];
