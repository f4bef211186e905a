import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type CreateTaskInput, projects, tags } from 'taskgate-client';
import { isDayFirst, momentOf, formatDay, formatTime, zone } from '../app/days.ts';
import { namesOf } from '../app/names.ts';
import { workspaceOf } from '../app/people.ts';
import { firstDayOf } from '../app/recurrence.ts';
import { change } from '../app/replica.ts';
import { useEditableProjects } from '../app/roles.ts';
import { go } from '../app/router.ts';
import { currentReplica } from '../app/session.ts';
import { texts } from '../texts.ts';
import { Icon, IconButton } from '../ui/icon.tsx';
import { useMemberBox } from '../ui/member-box.tsx';
import { readQuickAdd, type Token } from './quick-add-grammar.ts';

const chipText = (token: Token): string => {
  if (token.kind === 'priority') return texts.priorities[token.priority];
  if (token.kind === 'tag') return `#${token.name}`;
  if (token.kind === 'project') return `@${token.name}`;
  if (token.kind === 'assignee') return `+${token.name}`;
  if (token.kind === 'repeat') return texts.summary(token.recurrence, token.day);
  const day = formatDay(token.day);
  return token.time === undefined ? day : `${day} ${formatTime(momentOf(token.day, token.time).toISOString())}`;
};

/** Creates the tag if necessary. */
function findOrCreateTag(name: string): string {
  const existing = currentReplica()
    .read(tags.all())
    .find((tag) => tag.name.toLowerCase() === name.toLowerCase());
  return existing?.id ?? currentReplica().mutate('createTag', { name }).id ?? '';
}

function inputOf(tokens: readonly Token[], defaults: Partial<CreateTaskInput>): Partial<CreateTaskInput> {
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

/** A refused line to correct. */
const refusedLine = signal<string | undefined>(undefined);

/** Uses the inbox if the page has no quick add. */
export function editLine(line: string): void {
  refusedLine.value = line;
  const [inbox] = currentReplica().read(projects.all());
  if (inbox && !document.getElementById('quick-add')) go(`/projects/${inbox.id}`);
}

/** @param defaults fields of tasks on this page */
export function QuickAdd({ defaults = {} }: { defaults?: Partial<CreateTaskInput> }) {
  const [line, setLine] = useState('');
  const [dismissedTexts, setDismissedTexts] = useState<ReadonlySet<string>>(new Set());
  const editableProjects = useEditableProjects();
  const membersOf = (projectId = defaults.projectId ?? undefined) => namesOf(workspaceOf(projectId)?.members ?? []);
  const { title, tokens } = readQuickAdd(
    line,
    { projects: editableProjects, membersOf, now: new Date(), isDayFirst: isDayFirst(), firstDayOf },
    dismissedTexts,
  );
  const field = useRef<HTMLInputElement>(null);
  const project = tokens.find((token) => token.kind === 'project');
  const members = membersOf(project?.id);
  const memberBox = useMemberBox({ sign: '+', members, field, setText: setLine, acceptsNames: true });
  const lineToEdit = refusedLine.value;
  useEffect(() => {
    if (lineToEdit === undefined) return;
    refusedLine.value = undefined;
    setLine(`${line} ${lineToEdit}`.trim());
    field.current?.focus();
  }, [lineToEdit]);
  const add = () => {
    if (title === '') return;
    change('createTask', { input: { ...inputOf(tokens, defaults), title } }, texts.added(title), 1, line);
    setLine('');
    setDismissedTexts(new Set());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (memberBox.onKey(event)) return;
    if (event.key === 'Escape') field.current?.blur();
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add();
    // Without Shift, keys go to the list again.
    if (!event.shiftKey) document.querySelector('main')?.focus({ preventScroll: true });
  };
  return (
    <form
      class="quick-add"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <Icon name="plus" />
      <input
        ref={field}
        id="quick-add"
        aria-label={texts.addTask}
        placeholder={texts.addTaskExample}
        value={line}
        maxLength={500}
        autocomplete="off"
        dir="auto"
        {...memberBox.attributes}
        onInput={({ currentTarget }) => {
          setLine(currentTarget.value);
          memberBox.read();
        }}
        onKeyDown={onKeyDown}
        onBlur={memberBox.close}
      />
      {memberBox.list}
      {tokens.length > 0 && (
        <ul class="chips" aria-label={texts.recognized}>
          {tokens.map((token) => (
            <li key={token.spans[0]?.start} class="chip" title={token.text}>
              {chipText(token)}
              <IconButton
                icon="close"
                label={texts.removeChip(chipText(token))}
                onClick={() => {
                  setDismissedTexts(new Set([...dismissedTexts, token.text]));
                  field.current?.focus();
                }}
              />
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}
