import { type Project, select, type Task, tasks } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { canEdit } from '../app/roles.ts';
import { pageOf, route } from '../app/router.ts';
import { texts } from '../texts.ts';
import { Icon, type IconName } from '../ui/icon.tsx';

/** @param drop input for tasks that are dropped on the link */
export function Item({
  to,
  icon,
  drop,
  color,
  count = 0,
  name,
}: {
  to: string;
  icon: IconName;
  drop?: object | undefined;
  color?: string;
  count?: number;
  name: string;
}) {
  const isCurrent = pageOf(route.value).pathname === to;
  return (
    <li>
      <a
        href={to}
        class={color}
        aria-current={isCurrent ? 'page' : undefined}
        data-drop={drop && JSON.stringify(drop)}
        draggable={false}
      >
        <Icon name={icon} />
        <span class="name" dir="auto">
          {name}
        </span>
        {count > 0 && (
          <span class="count" aria-hidden="true">
            {count}
          </span>
        )}
      </a>
    </li>
  );
}

const countOpen = (all: readonly Task[]) => all.filter(({ completed }) => !completed).length;

export function ProjectItem({ project: { id, name, isDefault } }: { project: Project }) {
  const count = useQuery(() => select(tasks.byProject(id), countOpen), [id]);
  return (
    <Item
      to={`/projects/${id}`}
      icon={isDefault ? 'inbox' : 'project'}
      count={count}
      drop={canEdit(id) ? { projectId: id, parentId: null } : undefined}
      name={isDefault ? texts.inbox : name}
    />
  );
}
