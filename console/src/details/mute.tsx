import { useEffect, useState } from 'preact/hooks';
import { status } from 'taskgate-client';
import { notify } from '../app/notice.ts';
import { useQuery } from '../app/replica.ts';
import { request } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/form.tsx';

const query = 'query ($id: ID!) { task(id: $id) { muted } }';
const mutation = 'mutation ($id: ID!, $muted: Boolean!) { muteTask(id: $id, muted: $muted) { muted } }';

/** The user's own setting, which no replica holds. */
export function Mute({ id }: { id: string }) {
  const isLive = useQuery(() => status) === 'live';
  const [muted, setMuted] = useState<boolean>();
  useEffect(() => {
    if (!isLive) return;
    request<{ task: { muted: boolean } | null }>(query, { id })
      .then(({ task }) => setMuted(task?.muted))
      .catch(() => undefined);
  }, [id, isLive]);
  const toggle = useAction(async () => {
    const { muteTask } = await request<{ muteTask: { muted: boolean } }>(mutation, { id, muted: !muted });
    setMuted(muteTask.muted);
    notify(muteTask.muted ? texts.muted : texts.unmuted);
  });
  if (muted === undefined) return null;
  return (
    <>
      <Button text={texts.mute} aria-pressed={muted} aria-disabled={toggle.isBusy} onClick={() => toggle.run()} />
      <Problem>{toggle.problem}</Problem>
    </>
  );
}
