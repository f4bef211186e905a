import { pending, refused } from 'taskgate-client';
import { hasDrafts } from '../app/draft-storage.ts';
import { errorText, notify } from '../app/notice.ts';
import { currentAccount, currentReplica, signOut } from '../app/session.ts';
import { texts } from '../texts.ts';
import { ask } from './dialog.tsx';

/** Asks first if something was not sent. */
export function leaveAccount(): void {
  const replica = currentReplica();
  const unsent = replica.read(pending).length;
  if (unsent === 0 && replica.read(refused).length === 0 && !hasDrafts(currentAccount().id))
    return void signOut().catch((error: unknown) => notify(texts.notSignedOut(errorText(error))));
  ask({
    title: texts.signOut,
    text: unsent === 0 ? texts.draftsAtSignOut : texts.unsentAtSignOut(unsent),
    action: texts.signOut,
    onConfirm: signOut,
  });
}
