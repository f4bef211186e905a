import { z } from 'zod';
import { entities } from '../platform/entities.ts';
import { shapesOf } from '../platform/shapes.ts';
import { commentFields } from './fields.ts';

/** Maximum number of comments on a task. */
export const maxComments = 10_000;

/** Different ones in a text. */
export const maxMentions = 20;

const mentionedId = new RegExp(`(?<=@)(${entities.User.prefix}_[0-7][0-9a-hjkmnp-tv-z]{25})(?![0-9A-Za-z_])`, 'g');

/** Returns the ids in the form of a mention, each once. Of these, members of the task's space are mentioned. */
export const mentionsIn = (text: string): string[] => [...new Set(text.match(mentionedId))];

export const createComment = z.object(shapesOf(commentFields, 'create'));

export const updateComment = z.object(shapesOf(commentFields, 'update'));

export const notTheAuthor = 'Only its author may edit a comment';
