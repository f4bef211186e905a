import { useState } from 'preact/hooks';
import { type Comment, comments, pending, select, type Task, user } from 'taskgate-client';
import { formatMoment } from '../app/days.ts';
import { partsOf, withIds, withNames } from '../app/mentions.ts';
import { type NamedMember, nameOf, namesOf } from '../app/names.ts';
import { useWorkspace } from '../app/people.ts';
import { change, idsOf, useQuery } from '../app/replica.ts';
import { hasRole } from '../app/rights.ts';
import { currentReplica } from '../app/session.ts';
import { texts } from '../texts.ts';
import { Avatar } from '../ui/avatar.tsx';
import { CommentForm } from './comment-form.tsx';
import { addToComment, discardDraft, draftText, setDraft } from './drafts.ts';
import { Mute } from './mute.tsx';
import { UnsentTexts } from './unsent-texts.tsx';
import { useBeforeLeave } from '../ui/before-leave.ts';
import { Button } from '../ui/button.tsx';

/** Number of comments at first, and of earlier ones at each further step. */
const pageSize = 50;

const byTime = (a: Comment, b: Comment) =>
  a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1;

export function Comments({ task: { id, projectId } }: { task: Task }) {
  const all = useQuery(() => select(comments.byTask(id), (list) => list.toSorted(byTime)), [id]);
  const [shown, setShown] = useState(pageSize);
  const workspace = useWorkspace(projectId);
  const me = useQuery(() => user);
  const members = namesOf(workspace?.members ?? (me ? [me] : []));
  const unsentIds = useQuery(() => select(pending, (entries) => entries.flatMap(({ variables }) => idsOf(variables))));
  const mayComment = hasRole(workspace, 'COMMENTER');
  return (
    <section class="part comments">
      <h3>{texts.comments}</h3>
      {all.length > shown && (
        <Button text={texts.earlierComments(all.length - shown)} onClick={() => setShown(shown + pageSize)} />
      )}
      <ul aria-label={texts.comments} role="list">
        {all.slice(-shown).map((comment) => {
          const isUnsent = unsentIds.includes(comment.id);
          const isOwn = comment.authorId === me?.id;
          return (
            <CommentItem
              key={comment.id}
              comment={comment}
              members={members}
              isUnsent={isUnsent}
              mayEdit={isOwn && mayComment}
              mayDelete={(isOwn && mayComment) || hasRole(workspace, 'ADMIN')}
            />
          );
        })}
      </ul>
      {all.length === 0 && <p class="hint">{texts.noComments}</p>}
      {mayComment ? (
        <CommentForm
          id={id}
          label={texts.writeComment}
          action={texts.comment}
          members={members}
          onSend={(text) => change('createComment', { taskId: id, text: withIds(text, members) })}
        >
          {workspace && <Mute id={id} />}
        </CommentForm>
      ) : (
        <>
          <UnsentTexts id={id} fields={['comment']} />
          <div class="buttons">
            <Mute id={id} />
          </div>
        </>
      )}
    </section>
  );
}

function CommentItem({
  comment,
  members,
  isUnsent,
  mayEdit,
  mayDelete,
}: {
  comment: Comment;
  members: readonly NamedMember[];
  isUnsent: boolean;
  mayEdit: boolean;
  mayDelete: boolean;
}) {
  const { id, taskId, author, text, createdAt, editedAt } = comment;
  useBeforeLeave(() => {
    const draft = draftText(id, 'comment');
    if (draft === undefined || currentReplica().read(comments.byId(id))) return;
    addToComment(taskId, draft);
    discardDraft(id, 'comment');
  });
  const isEditing = mayEdit && draftText(id, 'comment') !== undefined;
  return (
    <li>
      <Avatar person={author ?? { name: null, email: null, image: null }} />
      <div>
        <p>
          <strong dir="auto">{author ? nameOf(author) : texts.formerUser}</strong>
          <span class="hint">
            <time dateTime={createdAt}>{formatMoment(createdAt)}</time>
            {editedAt !== null && ` · ${texts.edited}`}
            {isUnsent && ` · ${texts.unsent}`}
          </span>
        </p>
        {isEditing ? (
          <CommentForm
            id={id}
            label={texts.editComment}
            action={texts.save}
            members={members}
            isEdit
            onSend={(next) => {
              const changed = withIds(next, members);
              if (changed !== text) change('updateComment', { id, text: changed });
            }}
          />
        ) : (
          <p class="plain" dir="auto">
            {partsOf(text, members).map((part) =>
              part.isMention ? <span class="mention">{part.text}</span> : part.text,
            )}
          </p>
        )}
        {!mayEdit && <UnsentTexts id={id} fields={['comment']} />}
        {!isEditing && (mayEdit || mayDelete) && (
          <div class="buttons">
            {mayEdit && (
              <Button
                text={texts.editRefused}
                class="quiet"
                onClick={() => setDraft({ id }, 'comment', '', withNames(text, members))}
              />
            )}
            {mayDelete && <Button text={texts.delete} class="quiet" onClick={() => change('deleteComment', { id })} />}
          </div>
        )}
      </div>
    </li>
  );
}
