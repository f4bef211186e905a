import { user } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { go } from '../app/router.ts';
import { texts } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';
import { leaveAccount } from '../ui/leave-account.ts';
import { openMenu } from '../ui/menu.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { openSheet } from './sheets.ts';

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
