import { user } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { go, route } from '../app/router.ts';
import { texts } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';

/** Names the number of tasks with unread events. */
export function Bell() {
  const unread = useQuery(() => user)?.unreadNotifications ?? 0;
  return (
    <button
      type="button"
      class="quiet bell"
      aria-label={texts.notificationsOf(unread)}
      aria-current={route.value.path === '/notifications' ? 'page' : undefined}
      onClick={() => go('/notifications')}
    >
      <Icon name="bell" />
      {unread > 0 && <span class="badge" data-count={unread} />}
    </button>
  );
}
