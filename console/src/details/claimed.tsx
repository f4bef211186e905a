import { useId } from 'preact/hooks';
import { status, type Task } from 'taskgate-client';
import { nameOf } from '../app/names.ts';
import { errorText, notify } from '../app/notice.ts';
import { useQuery } from '../app/replica.ts';
import { useCanEdit } from '../app/roles.ts';
import { request } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';

const release = 'mutation ($fence: String!) { releaseClaim(fence: $fence) { id } }';

/** Says who works on the task. Only the service can end a claim, because it knows whether a newer one exists. */
export function Claimed({ task: { claim, projectId } }: { task: Task }) {
  const hintId = useId();
  const isEditable = useCanEdit(projectId);
  const isOffline = useQuery(() => status) === 'offline';
  const takeBack = useAction((fence: string, name: string) =>
    request(release, { fence })
      .then(() => notify(texts.takenBack(name)))
      .catch((error: unknown) => notify(errorText(error))),
  );
  // Tasks that an earlier version stored have no such field.
  if (!claim) return null;
  const { fence, client, holder } = claim;
  const name = client ?? nameOf(holder);
  return (
    <div class="role-note claimed">
      <p dir="auto">{texts.claimedBy(name)}</p>
      {isEditable && (
        <Button
          // A click on it must never hit the next claim.
          key={fence}
          text={texts.takeBack}
          aria-disabled={isOffline || takeBack.isBusy}
          aria-describedby={isOffline ? hintId : undefined}
          onClick={({ currentTarget }) => {
            if (isOffline) return;
            // The button goes with the claim.
            currentTarget.closest<HTMLElement>('.details')?.focus();
            void takeBack.run(fence, name);
          }}
        />
      )}
      {isEditable && isOffline && (
        <p class="hint" id={hintId}>
          {texts.takeBackOffline}
        </p>
      )}
    </div>
  );
}
