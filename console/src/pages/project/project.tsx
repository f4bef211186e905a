import { type Project, type Section, sections, select, tasks } from 'taskgate-client';
import { change, useQuery } from '../../app/replica.ts';
import { useWorkspace } from '../../app/people.ts';
import { useCanEdit } from '../../app/roles.ts';
import { go } from '../../app/router.ts';
import { QuickAdd } from '../../tasks/quick-add.tsx';
import { texts } from '../../texts.ts';
import { askName } from '../../ui/dialog.tsx';
import { Radios } from '../../ui/form.tsx';
import { RoleNote } from '../../ui/role-note.tsx';
import { MoreButton } from '../../ui/menu.tsx';
import { Calendar } from './calendar.tsx';
import { newSection } from './new-section.ts';
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

const menuOf = ({ id, name, isDefault }: Project) => [
  { text: texts.newSection, icon: 'plus' as const, choose: () => newSection(id) },
  ...(isDefault
    ? []
    : [
        {
          text: texts.rename,
          icon: 'note' as const,
          choose: () => askName(name, (next) => change('updateProject', { id, name: next })),
        },
        {
          text: texts.deleteProject,
          icon: 'trash' as const,
          isDangerous: true,
          choose: () => {
            change('deleteProject', { id }, texts.deleted(name));
            go('/today', { replace: true });
          },
        },
      ]),
];

export function ProjectPage({ project }: { project: Project }) {
  const { id, name, isDefault, viewMode } = project;
  const isEditable = useCanEdit(id);
  const workspace = useWorkspace(id);
  const isEmpty = useQuery(() => select(tasks.byProject(id), (all) => all.length === 0), [id]);
  const projectSections: readonly Section[] = useQuery(() => sections.byProject(id), [id]);
  return (
    <>
      <div class="heading">
        <h1 dir="auto">{isDefault ? texts.inbox : name}</h1>
        {isEditable && <View project={project} />}
        {isEditable && <MoreButton label={texts.projectMenu} items={() => menuOf(project)} />}
      </div>
      {isEditable ? <QuickAdd defaults={{ projectId: id }} /> : <RoleNote workspace={workspace} />}
      {viewMode === 'CALENDAR' ? (
        <Calendar projectId={id} />
      ) : (
        <Sections
          projectId={id}
          name={isDefault ? texts.inbox : name}
          sections={projectSections}
          isBoard={viewMode === 'BOARD'}
        />
      )}
      {isEmpty && projectSections.length === 0 && viewMode !== 'CALENDAR' && (
        <p class="empty">{isEditable ? texts.nothingInProject : texts.noTasks}</p>
      )}
    </>
  );
}
