import { useContext } from 'preact/hooks';
import { type Project, type Section, sections } from 'taskgate-client';
import { isFiltered, PageDisplay } from '../../app/display.ts';
import { change, useQuery } from '../../app/replica.ts';
import { useWorkspace } from '../../app/people.ts';
import { useCanEdit } from '../../app/roles.ts';
import { go } from '../../app/router.ts';
import { QuickAdd } from '../../tasks/quick-add.tsx';
import { TaskList } from '../../tasks/task-list.tsx';
import { texts } from '../../texts.ts';
import { Radios } from '../../ui/form.tsx';
import { RoleNote } from '../../ui/role-note.tsx';
import { type MenuItem, MoreButton } from '../../ui/menu.tsx';
import { renameItem } from '../../ui/rename-item.ts';
import { DisplayButton } from '../display-button.tsx';
import { Empty } from '../empty.tsx';
import { Groups } from '../groups.tsx';
import { Calendar } from '../calendar/calendar.tsx';
import { newSection } from './new-section.ts';
import { useProjectTasks } from './project-tasks.ts';
import { Sections } from './sections.tsx';

/** The view is the same for all members. */
const View = ({ project: { id, viewMode } }: { project: Project }) => (
  <Radios
    label={texts.view}
    texts={texts.views}
    icons={{ LIST: 'list', BOARD: 'board', CALENDAR: 'calendar' }}
    value={viewMode ?? 'LIST'}
    onChoose={(view) => change('updateProject', { id, viewMode: view }, '')}
  />
);

const menuOf = ({ id, name, isDefault }: Project): readonly MenuItem[] => {
  const newItem: MenuItem = { text: texts.newSection, icon: 'plus', choose: () => newSection(id) };
  if (isDefault) return [newItem];
  const remove = () => {
    change('deleteProject', { id }, texts.deleted(name));
    go('/today', { replace: true });
  };
  return [
    newItem,
    renameItem(name, (next) => change('updateProject', { id, name: next })),
    { text: texts.deleteProject, icon: 'trash', isDangerous: true, choose: remove },
  ];
};

export function ProjectPage({ project }: { project: Project }) {
  const { id, name, isDefault, viewMode } = project;
  const isEditable = useCanEdit(id);
  const workspace = useWorkspace(id);
  const display = useContext(PageDisplay);
  const { listed, completed } = useProjectTasks(id);
  const projectSections: readonly Section[] = useQuery(() => sections.byProject(id), [id]);
  return (
    <>
      <div class="heading">
        <h1 dir="auto">{isDefault ? texts.inbox : name}</h1>
        {isEditable && <View project={project} />}
        <DisplayButton offers={viewMode === 'CALENDAR' ? ['completed'] : undefined} />
        {isEditable && <MoreButton label={texts.projectMenu} items={() => menuOf(project)} />}
      </div>
      {isEditable ? <QuickAdd defaults={{ projectId: id }} /> : <RoleNote workspace={workspace} />}
      {viewMode === 'CALENDAR' ? (
        <Calendar projectId={id} defaults={isEditable ? { projectId: id } : undefined} />
      ) : display.group !== 'section' ? (
        <Groups
          tasks={listed}
          isBoard={viewMode === 'BOARD'}
          showsProject={false}
          defaults={isEditable ? { projectId: id } : undefined}
        />
      ) : (
        <Sections
          tasks={listed}
          projectId={id}
          name={isDefault ? texts.inbox : name}
          sections={projectSections}
          isBoard={viewMode === 'BOARD'}
        />
      )}
      {listed.length === 0 && viewMode !== 'CALENDAR' && (projectSections.length === 0 || isFiltered(display)) && (
        <Empty text={isEditable ? texts.nothingInProject : texts.noTasks} goTo={!isEditable && 'today'} />
      )}
      {completed.length > 0 && viewMode !== 'CALENDAR' && (
        <details class="done">
          <summary>{texts.completedCount(completed.length)}</summary>
          <TaskList tasks={completed} />
        </details>
      )}
    </>
  );
}
