import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import type { Selection } from '@taskgate/nested-read';
import { mapTakenId } from '@taskgate/postgres';
import type { Comment } from '../generated/prisma/client.ts';
import type { Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { forbidden, notFound, orNotFound } from '../platform/errors.ts';
import { isId, sortByIds } from '../platform/ids.ts';
import { parse, parseChanges } from '../platform/input.ts';
import { roleFor } from '../platform/roles.ts';
import { findByIds } from '../platform/visible-entities.ts';
import { write } from '../platform/write.ts';
import * as data from './data.ts';
import * as input from './input.ts';
import { isOwnOrAdministered } from './policy.ts';

/** @throws VALIDATION_FAILED */
function requireFewMentions({ mentioned }: data.CommentPlace): void {
  if (mentioned.length > input.maxMentions) {
    throw invalid('text', `must mention at most ${input.maxMentions} different members`);
  }
}

/**
 * Comments on a task.
 * @throws VALIDATION_FAILED, also if the task has 10,000 comments; NOT_FOUND for the task
 */
export async function createComment(
  viewer: Viewer,
  taskId: string,
  rawInput: z.input<typeof input.createComment>,
): Promise<Comment> {
  const { id, text } = parse(input.createComment, rawInput);
  if (!isId('Task', taskId)) throw notFound('Task');
  const access = { needs: roleFor('createComment'), ids: [taskId] };
  const result = await data
    .createComment(viewer, access, { id, taskId, text }, input.mentionsIn(text))
    .catch(mapTakenId());
  const place = orNotFound(result, 'Task');
  requireFewMentions(place);
  if (place.created) return place.created;
  throw invalid('taskId', `has ${input.maxComments} comments, which is the maximum`);
}

/** Runs `work` with a comment under the lock of its space. @throws NOT_FOUND */
const withComment = async <Result>(
  viewer: Viewer,
  mutation: 'updateComment' | 'deleteComment',
  id: string,
  work: (tx: Database, caller: Viewer, comment: Comment) => Promise<Result>,
): Promise<Result> => {
  if (!isId('Comment', id)) throw notFound('Comment');
  return write(viewer, { needs: roleFor(mutation), ids: [id] }, async (tx, caller) =>
    work(tx, caller, orNotFound(await data.findComment(tx, caller, id), 'Comment')),
  );
};

/** Changes the text, unless it is the same. @throws VALIDATION_FAILED; NOT_FOUND; FORBIDDEN unless the author */
export async function updateComment(
  viewer: Viewer,
  id: string,
  rawInput: z.input<typeof input.updateComment>,
): Promise<string> {
  await withComment(viewer, 'updateComment', id, async (tx, _caller, comment) => {
    if (comment.authorId !== viewer.id) throw forbidden(input.notTheAuthor);
    const { text = '' } = parseChanges(input.updateComment, rawInput);
    if (text === comment.text) return;
    const place = orNotFound(await data.findPlace(tx, comment, input.mentionsIn(text)), 'Comment');
    requireFewMentions(place);
    await data.updateText(tx, id, text);
    const before = input.mentionsIn(comment.text);
    const mentioned = place.mentioned.filter((userId) => !before.includes(userId) || place.joined.includes(userId));
    if (mentioned.length > 0) await data.notifyOfEdit(tx, comment, mentioned);
  });
  return id;
}

/** @throws NOT_FOUND; FORBIDDEN unless the author, or an administrator of the workspace */
export const deleteComment = (viewer: Viewer, id: string): Promise<void> =>
  withComment(viewer, 'deleteComment', id, async (tx, caller, comment) => {
    if (!isOwnOrAdministered(caller, comment)) {
      throw forbidden('Only its author, or an administrator of the workspace, may delete a comment');
    }
    await data.deleteComment(tx, id);
  });

/** Comments with all words of the query, or words that begin with them, newest first. */
export async function findMatching(viewer: Viewer, query: string, first: number, selection: Selection) {
  const ids = await data.findMatching(viewer, query, first);
  return sortByIds(ids, await findByIds('Comment', viewer, ids, selection));
}
