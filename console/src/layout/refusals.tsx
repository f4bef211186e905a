import { comments, type OutboxEntry, refused, tasks } from 'taskgate-client';
import { errorReason } from '../app/notice.ts';
import { withNames } from '../app/mentions.ts';
import { namesOf } from '../app/names.ts';
import { workspaceOf } from '../app/people.ts';
import { useQuery } from '../app/replica.ts';
import { go, openTask, route } from '../app/router.ts';
import { currentReplica } from '../app/session.ts';
import { setDraft } from '../details/drafts.ts';
import { editLine } from '../tasks/quick-add.tsx';
import { texts } from '../texts.ts';

const subjectOf = ({ variables }: OutboxEntry): string => {
  const { name, text, input } = variables as { name?: string; text?: string; input?: { title?: string } };
  return input?.title ?? name ?? text ?? '';
};

/** Returns the refused text of a comment to its field. */
function editComment({ variables }: OutboxEntry): void {
  const { id = '', taskId, text } = variables as { id?: string; taskId?: string; text: string };
  const replica = currentReplica();
  const task = taskId ?? replica.read(comments.byId(id))?.taskId ?? '';
  const workspace = workspaceOf(replica.read(tasks.byId(task))?.projectId);
  setDraft({ id: taskId ?? id }, 'comment', '', withNames(text, namesOf(workspace?.members ?? [])));
  openTask(task);
}

const editors: Partial<Record<OutboxEntry['name'], (entry: OutboxEntry) => void>> = {
  createTask: (entry) => editLine(entry.note ?? subjectOf(entry)),
  createComment: editComment,
  updateComment: editComment,
};

function Refusal({
  title,
  reason,
  edit,
  dismiss,
}: {
  title: string;
  reason?: string | undefined;
  edit?: (() => void) | undefined;
  dismiss: () => void;
}) {
  return (
    <div class="banner refusal" role="alert">
      <p>
        <strong>{title}</strong> {reason}
      </p>
      {edit && (
        <button type="button" onClick={edit}>
          {texts.editRefused}
        </button>
      )}
      <button type="button" onClick={dismiss}>
        {texts.dismiss}
      </button>
    </div>
  );
}

/** The redirect of a failed link has an error code in its address. */
function ProviderRefusal() {
  const { path, search } = route.value;
  const code = new URLSearchParams(search).get('error');
  if (code === null) return null;
  const dismiss = () => go(path, { replace: true });
  return <Refusal title={texts.providerProblems[code] ?? texts.unknownProblem} dismiss={dismiss} />;
}

const RefusedChanges = () =>
  useQuery(() => refused).map((entry) => {
    const dismiss = () => currentReplica().dismiss(entry.key);
    const edit = editors[entry.name];
    return (
      <Refusal
        key={entry.key}
        title={texts.refused(texts.toDo(entry.name), subjectOf(entry))}
        reason={entry.error && errorReason(entry.error)}
        edit={
          edit &&
          (() => {
            edit(entry);
            void dismiss();
          })
        }
        dismiss={dismiss}
      />
    );
  });

export const Refusals = () => (
  <>
    <ProviderRefusal />
    <RefusedChanges />
  </>
);
