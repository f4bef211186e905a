import { refused, type OutboxEntry } from 'taskgate-client';
import { errorReason } from '../app/notice.ts';
import { useQuery } from '../app/replica.ts';
import { go, route } from '../app/router.ts';
import { currentReplica } from '../app/session.ts';
import { editLine } from '../tasks/quick-add.tsx';
import { texts } from '../texts.ts';

const subjectOf = ({ variables }: OutboxEntry): string => {
  const { name, input } = variables as { name?: string; input?: { title?: string } };
  return input?.title ?? name ?? '';
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
    const edit = () => {
      editLine(entry.note ?? subjectOf(entry));
      void dismiss();
    };
    return (
      <Refusal
        key={entry.key}
        title={texts.refused(texts.toDo(entry.name), subjectOf(entry))}
        reason={entry.error && errorReason(entry.error)}
        edit={entry.name === 'createTask' ? edit : undefined}
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
