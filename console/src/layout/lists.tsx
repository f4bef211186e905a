import { useLayoutEffect, useRef } from 'preact/hooks';
import { projects, tags, tasks, select, workspaces } from 'taskgate-client';
import { today } from '../app/days.ts';
import { useQuery } from '../app/replica.ts';
import { hasRole } from '../app/rights.ts';
import { pageOf, route } from '../app/router.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon.tsx';
import { addTask } from './actions.ts';
import { Group } from './list-group.tsx';
import { Item, ProjectItem } from './list-item.tsx';
import { newProject, newTag, newWorkspace } from '../pages/new-entities.ts';

const AddButton = ({ text, onClick }: { text: string; onClick: () => void }) => (
  <IconButton class="add" icon="plus" label={text} title={text} onClick={onClick} />
);

/** @param isOpen on narrow screens @param onAdd runs before the field of a new task gets the focus */
export function Lists({ isOpen, onAdd }: { isOpen: boolean; onAdd: () => void }) {
  const nav = useRef<HTMLElement>(null);
  const allProjects = useQuery(projects.all);
  const allWorkspaces = useQuery(workspaces.all);
  const allTags = useQuery(tags.all);
  const dueCount = useQuery(() => select(tasks.due({ to: today.value }), (list) => list.length), [today.value]);
  const projectsOf = (id: string | null) =>
    allProjects
      .filter(({ isDefault, workspaceId }) => !isDefault && workspaceId === id)
      .map((project) => <ProjectItem key={project.id} project={project} />);
  const currentPath = pageOf(route.value).pathname;
  const isLoaded = allProjects.length > 0;
  useLayoutEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [currentPath, isOpen, isLoaded]);
  return (
    <nav ref={nav} aria-label={texts.lists}>
      <div class="brand">
        <a href="/today">{texts.name}</a>
        <Button
          text={texts.addTask}
          icon="plus"
          class="primary"
          onClick={() => {
            onAdd();
            addTask();
          }}
        />
      </div>
      <ul>
        <Item to="/today" icon="sun" count={dueCount} drop={{ dueDate: today.value }} name={texts.today} />
        <Item to="/upcoming" icon="calendar" name={texts.upcoming} />
        <Item to="/calendar" icon="month" name={texts.calendar} />
        <Item to="/assigned" icon="account" name={texts.myTasks} />
        {allProjects
          .filter(({ isDefault }) => isDefault)
          .map((inbox) => (
            <ProjectItem key={inbox.id} project={inbox} />
          ))}
      </ul>
      <Group
        id="projects"
        name={texts.projects}
        add={<AddButton text={texts.newProject} onClick={() => newProject(null)} />}
      >
        {projectsOf(null)}
      </Group>
      {allWorkspaces.map((workspace) => {
        const { id, name } = workspace;
        const link = (
          <a href={`/workspaces/${id}`} dir="auto">
            {name}
          </a>
        );
        const add = hasRole(workspace, 'EDITOR') && (
          <AddButton text={texts.newProjectIn(name)} onClick={() => newProject(id)} />
        );
        return (
          <Group key={id} {...{ id, name, title: link, add }}>
            {projectsOf(id)}
          </Group>
        );
      })}
      <Group id="tags" name={texts.tags} add={<AddButton text={texts.newTag} onClick={newTag} />}>
        {allTags.map(({ id, name, color }) => (
          <Item key={id} to={`/tags/${id}`} icon="tag" color={color.toLowerCase()} name={name} />
        ))}
      </Group>
      <Button text={texts.newWorkspace} icon="people" class="quiet new-workspace" onClick={newWorkspace} />
    </nav>
  );
}
