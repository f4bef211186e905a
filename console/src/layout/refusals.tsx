import { comments, type OutboxEntry, refused, tasks, type UpdateTaskInput, workspaces } from 'taskgate-client';
import { useState } from 'preact/hooks';
import { errorReason } from '../app/notice.ts';
import { withNames } from '../app/mentions.ts';
import { namesOf } from '../app/names.ts';
import { people, workspaceOf } from '../app/people.ts';
import { useQuery } from '../app/replica.ts';
import { hasRole } from '../app/rights.ts';
import { go, openTask, route } from '../app/router.ts';
import { currentReplica } from '../app/session.ts';
import { addToComment } from '../details/drafts.ts';
import { editLine } from '../tasks/quick-add.tsx';
import { maxQuoted, texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';

const subjectOf = ({ variables }: OutboxEntry): string => {
  const { name, text = '', input } = variables as { name?: string; text?: string; input?: UpdateTaskInput };
  return (
    input?.title ?? input?.description ?? name ?? withNames(text, namesOf([...currentReplica().read(people).values()]))
  );
};

/** Returns the refused text of a comment to its field. Undefined without that field. */
function editorOfComment({ variables }: OutboxEntry): (() => void) | undefined {
  const { id = '', taskId, text } = variables as { id?: string; taskId?: string; text: string };
  const replica = currentReplica();
  const task = replica.read(tasks.byId(taskId ?? replica.read(comments.byId(id))?.taskId ?? ''));
  const workspace = workspaceOf(task?.projectId);
  if (!task || !hasRole(workspace, 'COMMENTER')) return undefined;
  return () => {
    addToComment(taskId ?? id, withNames(text, namesOf(workspace?.members ?? [])));
    openTask(task.id);
  };
}

function editorOf(entry: OutboxEntry): (() => void) | undefined {
  if (entry.name === 'createTask') return () => editLine(entry.note ?? subjectOf(entry));
  return /^(create|update)Comment$/.test(entry.name) ? editorOfComment(entry) : undefined;
}

function Refusal({
  title,
  reason,
  text,
  edit,
  dismiss,
}: {
  title: string;
  reason?: string | undefined;
  /** The user's text, which is nowhere else. */
  text?: string | undefined;
  edit?: (() => void) | undefined;
  dismiss: () => void;
}) {
  return (
    <div class="banner refusal" role="alert">
      <p>
        <strong>{title}</strong> {reason}
      </p>
      {text !== undefined && (
        <p class="plain" dir="auto">
          {text}
        </p>
      )}
      {edit && <Button text={texts.editRefused} onClick={edit} />}
      <Button text={texts.dismiss} onClick={dismiss} />
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

/** A whole queue may be refused, such as after the end of a membership. */
const maxFolded = 5;

function RefusedChanges() {
  // A role decides whether a comment can be corrected.
  useQuery(workspaces.all);
  const entries = useQuery(() => refused);
  const [isOpen, open] = useState(false);
  const shown = isOpen ? entries : entries.slice(0, maxFolded);
  const hidden = entries.length - shown.length;
  const banners = shown.map((entry) => {
    const dismiss = () => currentReplica().dismiss(entry.key);
    const edit = editorOf(entry);
    const subject = subjectOf(entry);
    return (
      <Refusal
        key={entry.key}
        title={texts.refused(texts.toDo(entry.name), subject)}
        text={!edit && subject.length > maxQuoted ? subject : undefined}
        reason={entry.error && errorReason(entry.error)}
        edit={
          edit &&
          (() => {
            edit();
            void dismiss();
          })
        }
        dismiss={dismiss}
      />
    );
  });
  const dismissAll = () => entries.forEach(({ key }) => void currentReplica().dismiss(key));
  return (
    <>
      {banners}
      {hidden > 0 && (
        <div class="banner refusal" role="alert">
          <p>{texts.moreRefused(hidden)}</p>
          <Button text={texts.showAll} onClick={() => open(true)} />
        </div>
      )}
      {hidden === 0 && entries.length > maxFolded && (
        <div class="banner refusal">
          <Button text={texts.dismissAll} onClick={dismissAll} />
        </div>
      )}
    </>
  );
}

export const Refusals = () => (
  <>
    <ProviderRefusal />
    <RefusedChanges />
  </>
);
