import type { ComponentChildren } from 'preact';
import { type Project, projects, tags, tasks, select, workspaces } from 'taskgate-client';
import { today } from '../app/days.ts';
import { useQuery } from '../app/replica.ts';
import { hasRole } from '../app/rights.ts';
import { canEdit } from '../app/roles.ts';
import { pageOf, route } from '../app/router.ts';
import { texts } from '../texts.ts';
import { Icon, IconButton, type IconName } from '../ui/icon.tsx';
import { newProject, newTag, newWorkspace } from '../pages/new-entities.ts';

/** @param drop input for tasks that are dropped on the link */
function Item({
  to,
  icon,
  drop,
  color,
  count = 0,
  children,
}: {
  to: string;
  icon: IconName;
  drop?: object | undefined;
  color?: string;
  count?: number;
  children: ComponentChildren;
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
          {children}
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

const AddButton = ({ text, onClick }: { text: string; onClick: () => void }) => (
  <IconButton class="add" icon="plus" label={text} title={text} onClick={onClick} />
);

const Projects = ({ items }: { items: readonly Project[] }) => (
  <ul>
    {items.map(({ id, name }) => (
      <Item
        key={id}
        to={`/projects/${id}`}
        icon="project"
        drop={canEdit(id) ? { projectId: id, parentId: null } : undefined}
      >
        {name}
      </Item>
    ))}
  </ul>
);

export function Lists() {
  const allProjects = useQuery(projects.all);
  const allWorkspaces = useQuery(workspaces.all);
  const allTags = useQuery(tags.all);
  const dueCount = useQuery(() => select(tasks.due({ to: today.value }), (list) => list.length), [today.value]);
  const inbox = allProjects.find(({ isDefault }) => isDefault);
  const personalProjects = allProjects.filter(({ isDefault, workspaceId }) => !isDefault && workspaceId === null);
  return (
    <nav aria-label={texts.lists}>
      <ul>
        <Item to="/today" icon="sun" count={dueCount} drop={{ dueDate: today.value }}>
          {texts.today}
        </Item>
        <Item to="/upcoming" icon="calendar">
          {texts.upcoming}
        </Item>
        <Item to="/calendar" icon="month">
          {texts.calendar}
        </Item>
        <Item to="/assigned" icon="account">
          {texts.myTasks}
        </Item>
        {inbox && (
          <Item to={`/projects/${inbox.id}`} icon="inbox" drop={{ projectId: inbox.id, parentId: null }}>
            {texts.inbox}
          </Item>
        )}
      </ul>
      <div class="group" role="group" aria-label={texts.projects}>
        <div class="group-name">
          <span>{texts.projects}</span> <AddButton text={texts.newProject} onClick={() => newProject(null)} />
        </div>
        <Projects items={personalProjects} />
      </div>
      {allWorkspaces.map((workspace) => {
        const { id, name } = workspace;
        return (
          <div key={id} class="group" role="group" aria-label={name}>
            <div class="group-name">
              <a href={`/workspaces/${id}`} dir="auto">
                {name}
              </a>
              {hasRole(workspace, 'EDITOR') && (
                <AddButton text={texts.newProjectIn(name)} onClick={() => newProject(id)} />
              )}
            </div>
            <Projects items={allProjects.filter(({ workspaceId }) => workspaceId === id)} />
          </div>
        );
      })}
      <div class="group" role="group" aria-label={texts.tags}>
        <div class="group-name">
          <span>{texts.tags}</span> <AddButton text={texts.newTag} onClick={newTag} />
        </div>
        <ul>
          {allTags.map(({ id, name, color }) => (
            <Item key={id} to={`/tags/${id}`} icon="tag" color={color.toLowerCase()}>
              {name}
            </Item>
          ))}
        </ul>
      </div>
      <button type="button" class="quiet new-workspace" onClick={newWorkspace}>
        <Icon name="people" />
        {texts.newWorkspace}
      </button>
    </nav>
  );
}
