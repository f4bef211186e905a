import type { RefObject } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { NamedMember } from '../app/names.ts';
import { texts } from '../texts.ts';

const maxOptions = 8;

/** Whether a name, or a later word of it, begins with the text. */
const continues = ({ name, aliases }: NamedMember, text: string) =>
  [name, ...aliases, ...name.split(' ')].some((each) => each.toLowerCase().startsWith(text.toLowerCase()));

const isComplete = ({ name, aliases }: NamedMember, text: string) =>
  [name, ...aliases].some((each) => each.toLowerCase() === text.toLowerCase());

/** Text after the last sign before the caret. */
function queryAt({ value, selectionEnd }: HTMLInputElement | HTMLTextAreaElement, sign: string) {
  const before = value.slice(0, selectionEnd ?? value.length);
  const start = before.lastIndexOf(sign);
  return start >= 0 && /(?:^|[\s(])$/.test(before.slice(0, start))
    ? { start, end: before.length, text: before.slice(start + 1) }
    : undefined;
}

/**
 * Offers the members whose names continue the word after `sign` at the caret.
 * @param acceptsNames whether Enter leaves a complete name to the field
 * @returns attributes of the field, its handlers, and the list
 */
export function useMemberBox({
  sign,
  members,
  field,
  setText,
  acceptsNames = false,
}: {
  sign: string;
  members: readonly NamedMember[];
  field: RefObject<HTMLInputElement | HTMLTextAreaElement | null>;
  setText: (text: string) => void;
  acceptsNames?: boolean;
}) {
  const id = useId();
  const [query, setQuery] = useState<ReturnType<typeof queryAt>>();
  const [chosenIndex, setIndex] = useState<number>();
  const matches = query ? members.filter((member) => continues(member, query.text)).slice(0, maxOptions) : [];
  const isSure = matches.length === 1 && matches.every(({ name }) => name === query?.text);
  const options = isSure ? [] : matches;
  const isNamed = acceptsNames && options.some((member) => isComplete(member, query?.text ?? ''));
  const index = chosenIndex ?? (isNamed ? -1 : 0);
  const active = options[index];
  const close = () => setQuery(undefined);
  const read = () => {
    setQuery(field.current ? queryAt(field.current, sign) : undefined);
    setIndex(undefined);
  };
  const choose = ({ name }: NamedMember) => {
    if (!query || !field.current) return;
    field.current.setRangeText(`${sign}${name} `, query.start, query.end, 'end');
    setText(field.current.value);
    close();
  };
  /** @returns whether the list has used the key */
  const onKey = (event: KeyboardEvent): boolean => {
    if (options.length === 0) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setIndex((Math.max(index, step < 0 ? 0 : -1) + step + options.length) % options.length);
    else if (event.key === 'Escape') close();
    else if (['Enter', 'Tab'].includes(event.key) && active) choose(active);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const attributes = {
    'aria-autocomplete': 'list',
    'aria-controls': options.length > 0 ? id : undefined,
    'aria-activedescendant': active && `${id}-${active.id}`,
  } as const;
  const list = options.length > 0 && (
    <ul id={id} class="member-box" role="listbox" aria-label={texts.members}>
      {options.map((member) => (
        <li
          key={member.id}
          id={`${id}-${member.id}`}
          role="option"
          aria-selected={member === active}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(member)}
          dir="auto"
        >
          {member.name}
        </li>
      ))}
    </ul>
  );
  return { attributes, onKey, read, close, list };
}
