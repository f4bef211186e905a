import { pending, user } from 'taskgate-client';
import { hasDrafts } from '../app/draft-storage.ts';
import { useQuery } from '../app/replica.ts';
import { go } from '../app/router.ts';
import { currentAccount, currentReplica, signOut } from '../app/session.ts';
import { notify, errorText } from '../app/notice.ts';
import { texts } from '../texts.ts';
import { ask } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { openMenu } from '../ui/menu.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { openSheet } from './sheets.ts';

/** Asks first if something was not sent. */
export function leaveAccount(): void {
  const unsent = currentReplica().read(pending).length;
  if (unsent === 0 && !hasDrafts(currentAccount().id))
    return void signOut().catch((error: unknown) => notify(texts.notSignedOut(errorText(error))));
  ask({
    title: texts.signOut,
    text: unsent === 0 ? texts.draftsAtSignOut : texts.unsentAtSignOut(unsent),
    action: texts.signOut,
    onConfirm: signOut,
  });
}

export function AccountMenu() {
  const me = useQuery(() => user);
  return (
    <button
      type="button"
      class="quiet account"
      aria-label={texts.account}
      aria-haspopup="menu"
      onClick={({ currentTarget }) =>
        openMenu(currentTarget, [
          { text: texts.settings, icon: 'account', choose: () => go('/settings/profile') },
          { text: texts.completedTasks, icon: 'done', choose: () => go('/completed') },
          { text: texts.trash, icon: 'trash', choose: () => go('/trash') },
          { text: texts.commands, icon: 'search', choose: () => (openSheet.value = 'commands') },
          { text: texts.keyboard, icon: 'list', choose: () => (openSheet.value = 'keys') },
          { text: texts.signOut, icon: 'close', choose: leaveAccount },
        ])
      }
    >
      {me ? <Avatar person={me} /> : <Icon name="account" />}
    </button>
  );
}
