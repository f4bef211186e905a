import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Signal, signal } from '@preact/signals';
import { formatDay, formatTime, momentOf } from '../app/days.ts';
import { useEditableProjects } from '../app/roles.ts';
import { hasEnded } from '../app/last-account.ts';
import { maxTitleLength } from '../characters.ts';
import { texts } from '../texts.ts';
import { useBeforeLeave } from '../ui/before-leave.ts';
import { ask } from '../ui/dialog.tsx';
import { Icon, IconButton } from '../ui/icon.tsx';
import { useMemberBox } from '../ui/member-box.tsx';
import { addLine, addLines, type Defaults, linesOf, mayAdd, membersOf, readLine } from './new-task.ts';
import type { Token } from './quick-add-grammar.ts';

const chipText = (token: Token): string => {
  if (token.kind === 'priority') return texts.priorities[token.priority];
  if (token.kind === 'tag') return `#${token.name}`;
  if (token.kind === 'project') return `@${token.name}`;
  if (token.kind === 'assignee') return `+${token.name}`;
  if (token.kind === 'repeat') return texts.summary(token.recurrence, token.day);
  const day = formatDay(token.day);
  return token.time === undefined ? day : `${day} ${formatTime(momentOf(token.day, token.time).toISOString())}`;
};

/** A line that was refused, or half typed when its place or the session ended. */
export const unsentLine = signal<string | undefined>(undefined);

export interface LineFieldProps {
  readonly id?: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly defaults: Defaults;
  readonly autofocus?: boolean;
  /** Text to append to the line. */
  readonly addition?: Signal<string | undefined>;
  /** Runs after Enter has added the task. */
  readonly onAdded?: (field: HTMLInputElement, isShift: boolean) => void;
  readonly onEscape: (field: HTMLInputElement) => void;
  /** @param line the rest in the field */
  readonly onLeave?: (line: string) => void;
}

/** A field that adds tasks, with chips for the parts of the line that are no title. */
export function LineField({ defaults, addition, onAdded, onEscape, onLeave, ...props }: LineFieldProps) {
  const [line, setLine] = useState('');
  const [dismissedTexts, setDismissedTexts] = useState<ReadonlySet<string>>(new Set());
  // Members and projects may change.
  useEditableProjects();
  const read = readLine(line, defaults, dismissedTexts);
  const { tokens } = read;
  const field = useRef<HTMLInputElement>(null);
  const project = tokens.find((token) => token.kind === 'project');
  const members = membersOf(project?.id ?? defaults.projectId);
  const memberBox = useMemberBox({ sign: '+', members, field, setText: setLine, acceptsNames: true });
  useLayoutEffect(() => {
    if (props.autofocus) field.current?.focus();
  }, []);
  useBeforeLeave(() => {
    if (line !== '' && (hasEnded.value || !mayAdd(defaults))) unsentLine.value = line;
  });
  const added = addition?.value;
  useEffect(() => {
    if (!addition || added === undefined) return;
    addition.value = undefined;
    setLine(`${line} ${added}`.trim());
    field.current?.focus();
  }, [added]);
  const add = () => {
    if (!addLine(line, defaults, read)) return;
    setLine('');
    setDismissedTexts(new Set());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!field.current || memberBox.onKey(event)) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      onEscape(field.current);
    }
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add();
    onAdded?.(field.current, event.shiftKey);
  };
  const onPaste = (event: ClipboardEvent) => {
    const lines = linesOf(event.clipboardData?.getData('text/plain') ?? '');
    if (lines.length < 2) return;
    event.preventDefault();
    const focusField = () => requestAnimationFrame(() => field.current?.focus());
    ask({
      title: texts.addTasks(lines.length),
      text: texts.pastedLines(lines),
      action: texts.addTasks(lines.length),
      onConfirm: () => (addLines(lines, defaults), focusField()),
      other: { action: texts.asOneTask, onConfirm: () => (setLine(`${line} ${lines.join(' ')}`.trim()), focusField()) },
    });
  };
  return (
    <form
      class="quick-add"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) onLeave?.(line);
      }}
    >
      <Icon name="plus" />
      <input
        ref={field}
        id={props.id}
        aria-label={props.label}
        placeholder={props.placeholder ?? props.label}
        value={line}
        maxLength={maxTitleLength}
        autocomplete="off"
        dir="auto"
        {...memberBox.attributes}
        onInput={({ currentTarget }) => {
          setLine(currentTarget.value);
          memberBox.read();
        }}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
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
