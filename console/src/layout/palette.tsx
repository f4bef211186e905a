import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Task } from 'taskgate-client';
import { errorText, notify } from '../app/notice.ts';
import { shorten } from '../characters.ts';
import { texts } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';
import { Keys } from '../ui/keys.tsx';
import { useCommands } from './commands.ts';
import type { Command } from './task-commands.ts';

/** Closing the dialog returns the focus, which some commands act on. */
function runAfterClosing({ run }: Command, dialog: HTMLDialogElement | null | undefined): void {
  dialog?.close();
  try {
    run();
  } catch (error) {
    notify(errorText(error));
  }
}

/** @param task the task whose commands come first @param firstText typed while this module was loaded */
export function CommandList({ task, firstText }: { task: Task | undefined; firstText: string }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(firstText);
  const [index, setIndex] = useState(0);
  const commands = useCommands(task, text);
  const active = commands[index];
  useLayoutEffect(() => field.current?.focus(), []);
  useLayoutEffect(() => document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: 'nearest' }), [index, text]);
  const choose = (command: Command) => runAfterClosing(command, field.current?.closest('dialog'));
  const onKeyDown = (event: KeyboardEvent) => {
    const { length } = commands;
    const next = { ArrowDown: index + 1, ArrowUp: index - 1 + length, Home: 0, End: length - 1 }[event.key];
    if (next !== undefined && !(event.shiftKey || length === 0)) setIndex(next % length);
    else if (event.key === 'Enter' && active) choose(active);
    else return;
    event.preventDefault();
  };
  return (
    <div class="palette">
      {task && (
        <p class="chip" dir="auto">
          {shorten(task.title, 80)}
        </p>
      )}
      <input
        ref={field}
        role="combobox"
        aria-label={texts.commands}
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={active && `${id}-${index}`}
        placeholder={texts.commandsHint}
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={id} role="listbox" aria-label={texts.commands}>
        {commands.map((command, position) => (
          <li
            key={position}
            id={`${id}-${position}`}
            role="option"
            aria-selected={position === index}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(command)}
          >
            <Icon name={command.icon} />
            <span class={command.color && `tag ${command.color}`} dir="auto">
              {shorten(command.title, 80)}
            </span>
            {command.description !== undefined && <span class="hint">{shorten(command.description, 40)}</span>}
            {command.keys !== undefined && (
              <span class="keys">
                <Keys keys={command.keys} />
              </span>
            )}
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {commands.length === 0 && texts.nothingFound}
      </p>
    </div>
  );
}
