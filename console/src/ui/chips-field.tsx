import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { IconButton } from './icon.tsx';

interface Chip {
  readonly id: string;
  readonly name: string;
  readonly class?: string;
  readonly before?: ComponentChildren;
}

/** Chips with an input that adds further ones. `onAdd` returns false if it does not know the text, which then stays. */
export function ChipsField({
  label,
  placeholder,
  chips,
  names,
  onAdd,
  onRemove,
}: {
  label: string;
  placeholder: string;
  chips: readonly Chip[];
  /** Suggestions. */
  names: readonly string[];
  onAdd: (text: string) => boolean;
  onRemove: (id: string) => void;
}) {
  const htmlId = useId();
  const [text, setText] = useState('');
  const add = (value: string) => {
    if (value.trim() !== '' && onAdd(value.trim())) setText('');
  };
  return (
    <div class="field">
      <label for={htmlId}>{label}</label>
      <div class="chips">
        {chips.map(({ id, name, class: chipClass = '', before }) => (
          <span key={id} class={`chip ${chipClass}`}>
            {before}
            {name}
            <IconButton icon="close" label={texts.removeChip(name)} onClick={() => onRemove(id)} />
          </span>
        ))}
        <input
          id={htmlId}
          list={`${htmlId}-all`}
          value={text}
          maxLength={255}
          autocomplete="off"
          placeholder={placeholder}
          onInput={({ currentTarget: { value } }) => setText(value)}
          onChange={({ currentTarget: { value } }) => add(value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add(text);
          }}
        />
        <datalist id={`${htmlId}-all`}>
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </div>
    </div>
  );
}
