import type { Section, Task } from 'taskgate-client';
import { change } from '../../app/replica.ts';
import { useCanEdit } from '../../app/roles.ts';
import { route } from '../../app/router.ts';
import { AddInPlace } from '../../tasks/add-in-place.tsx';
import { isMoving } from '../../tasks/lift.ts';
import { TaskList } from '../../tasks/task-list.tsx';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { type MenuItem, MoreButton } from '../../ui/menu.tsx';
import { renameItem } from '../../ui/rename-item.ts';
import { newSection } from './new-section.ts';

const scrollTo = (section: Element | null) => section?.scrollIntoView();

export function Sections({
  projectId,
  name,
  tasks,
  sections,
  isBoard,
}: {
  projectId: string;
  /** Of the project. */
  name: string;
  tasks: readonly Task[];
  sections: readonly Section[];
  isBoard: boolean;
}) {
  const isEditable = useCanEdit(projectId);
  const tasksIn = (sectionId: string | null) => tasks.filter((task) => task.sectionId === sectionId);
  const dropOf = (sectionId: string | null) =>
    isEditable ? JSON.stringify({ projectId, sectionId, parentId: null }) : undefined;
  const unsectionedTasks = tasksIn(null);
  const unsectioned = (
    <section key="none" aria-label={texts.noSection} data-drop={dropOf(null)}>
      <div class="section-head">
        <h2>{texts.noSection}</h2>
        <span class="count">{unsectionedTasks.length}</span>
      </div>
      <TaskList tasks={unsectionedTasks} isOrdered={isEditable} />
      {isEditable && <AddInPlace name={texts.noSection} defaults={{ projectId }} />}
    </section>
  );
  const hasUnsectioned = unsectionedTasks.length > 0 || sections.length === 0;
  const targetId = new URLSearchParams(route.value.search).get('section');
  return (
    <div class={isBoard ? 'board' : 'sections'}>
      {isBoard ? (
        hasUnsectioned && unsectioned
      ) : (
        <div data-drop={dropOf(null)}>
          <TaskList tasks={unsectionedTasks} isOrdered={isEditable} />
          {isEditable && <AddInPlace name={name} defaults={{ projectId }} />}
        </div>
      )}
      {sections.map((section, index) => {
        const sectionTasks = tasksIn(section.id);
        return (
          <section
            key={section.id}
            ref={section.id === targetId ? scrollTo : undefined}
            aria-label={section.name}
            data-drop={dropOf(section.id)}
          >
            <div class="section-head">
              <h2 dir="auto">{section.name}</h2>
              <span class="count">{sectionTasks.length}</span>
              {isEditable && <SectionMenu section={section} others={sections} index={index} />}
            </div>
            <TaskList tasks={sectionTasks} isOrdered={isEditable} />
            {isEditable && <AddInPlace name={section.name} defaults={{ projectId, sectionId: section.id }} />}
          </section>
        );
      })}
      {/* At the end it moves no other column. */}
      {isBoard && !hasUnsectioned && isMoving.value && unsectioned}
      {isEditable && (
        <Button text={texts.newSection} icon="plus" class="quiet new-section" onClick={() => newSection(projectId)} />
      )}
    </div>
  );
}

function SectionMenu({
  section: { id, name, projectId },
  others,
  index,
}: {
  section: Section;
  others: readonly Section[];
  index: number;
}) {
  const keyAt = (position: number) => others[position]?.sortKey ?? null;
  const moveTo = (text: string, before: number): readonly MenuItem[] =>
    before < 0 || before > others.length
      ? []
      : [
          {
            text,
            choose: () => change('updateSection', { id, prevIndex: keyAt(before - 1), nextIndex: keyAt(before) }),
          },
        ];
  const items: readonly MenuItem[] = [
    renameItem(name, (next) => change('updateSection', { id, name: next })),
    ...moveTo(texts.moveUp, index - 1),
    ...moveTo(texts.moveDown, index + 2),
    { text: texts.newSection, icon: 'plus', choose: () => newSection(projectId) },
    {
      text: texts.deleteSection,
      icon: 'trash',
      isDangerous: true,
      choose: () => change('deleteSection', { id }, texts.deleted(name)),
    },
  ];
  return <MoreButton label={texts.sectionMenu(name)} items={() => items} />;
}
