import { type CreateTaskInput, sections, tags } from 'taskgate-client';
import { isDayFirst, momentOf, zone } from '../app/days.ts';
import { namesOf, type NamedMember } from '../app/names.ts';
import { workspaceOf } from '../app/people.ts';
import { firstDayOf } from '../app/recurrence.ts';
import { change } from '../app/replica.ts';
import { readEditableProjects } from '../app/roles.ts';
import { currentReplica } from '../app/session.ts';
import { maxTitleLength } from '../characters.ts';
import { texts } from '../texts.ts';
import { readQuickAdd, type QuickAdd, type Token } from './quick-add-grammar.ts';

/** Fields of a task that its place sets, such as a section or a day. */
export type Defaults = Partial<CreateTaskInput>;

/** Whether the place of new tasks exists, and the user's role suffices there. */
export const mayAdd = ({ projectId, sectionId }: Defaults): boolean =>
  (projectId == null || readEditableProjects().some(({ id }) => id === projectId)) &&
  (sectionId == null || currentReplica().read(sections.byId(sectionId)) !== undefined);

export const membersOf = (projectId: string | null | undefined): readonly NamedMember[] =>
  namesOf(workspaceOf(projectId)?.members ?? []);

export const readLine = (
  line: string,
  { projectId, dueDate }: Defaults,
  dismissedTexts?: ReadonlySet<string>,
): QuickAdd =>
  readQuickAdd(
    line,
    {
      projects: readEditableProjects(),
      membersOf: (id = projectId ?? undefined) => membersOf(id),
      now: new Date(),
      isDayFirst: isDayFirst(),
      defaultDay: dueDate ?? undefined,
      firstDayOf,
    },
    dismissedTexts,
  );

/** Creates the tag if necessary. */
export function findOrCreateTag(name: string): string {
  const existing = currentReplica()
    .read(tags.all())
    .find((tag) => tag.name.toLowerCase() === name.toLowerCase());
  return existing?.id ?? change('createTag', { name }, '').id ?? '';
}

function inputOf(tokens: readonly Token[], defaults: Defaults): Defaults {
  let input = defaults;
  const names: string[] = [];
  const assigneeIds = new Set(defaults.assigneeIds);
  for (const token of tokens) {
    if (token.kind === 'priority') input = { ...input, priority: token.priority };
    else if (token.kind === 'project') input = { ...input, projectId: token.id, sectionId: undefined };
    else if (token.kind === 'tag') names.push(token.name);
    else if (token.kind === 'assignee') assigneeIds.add(token.id);
    else if (token.kind === 'repeat')
      input = { ...input, dueDate: token.day, recurrence: { ...token.recurrence, timeZone: zone.value } };
    else {
      const { day: dueDate, time } = token;
      input = { ...input, dueDate };
      if (time !== undefined) input = { ...input, dueTime: momentOf(dueDate, time).toISOString(), isAllDay: false };
    }
  }
  const tagIds = [...new Set([...(defaults.tagIds ?? []), ...names.map(findOrCreateTag)])];
  return {
    ...input,
    ...(tagIds.length > 0 && { tagIds }),
    ...(assigneeIds.size > 0 && { assigneeIds: [...assigneeIds] }),
  };
}

/** Adds the task of a line. @returns whether the line has a title */
export function addLine(line: string, defaults: Defaults, { title, tokens } = readLine(line, defaults)): boolean {
  if (title === '') return false;
  change('createTask', { input: { ...inputOf(tokens, defaults), title } }, texts.added(title), 1, line);
  return true;
}

/** Adds a task for each line. One undo takes all back. */
export function addLines(lines: readonly string[], defaults: Defaults): void {
  // New tags come first: the undo leaves them.
  const inputs = lines.map((line) => {
    const { title, tokens } = readLine(line, defaults);
    return { ...inputOf(tokens, defaults), title: title === '' ? line : title };
  });
  for (const [index, input] of inputs.entries())
    change('createTask', { input }, texts.tasksAdded(index + 1), index + 1, lines[index]);
}

/** Returns the start of a long title. It never ends within a character, which the service would refuse. */
export const toTitle = (text: string): string => text.slice(0, maxTitleLength).replace(/[\uD800-\uDBFF]$/, '');

/** Returns the lines of a pasted list without its bullets. */
export const linesOf = (text: string): readonly string[] =>
  text
    .split(/\r\n?|\n/)
    .map((line) => line.replace(/^\s*(?:[-*+•·–]|\d{1,3}[.)])?\s*(?:\[[ xX]?\]\s*)?/, '').trim())
    .map(toTitle)
    .filter((line) => line !== '');
