import type { ComponentProps, TargetedEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Field } from './form.tsx';
import { useBeforeLeave } from './before-leave.ts';

interface Typing {
  isChanged?: boolean;
  usesKeys?: boolean;
  /** The value. Undefined while it is incomplete. */
  value?: string | undefined;
}

/** Saves on blur, on Enter, and immediately if the user picks a value instead of typing it. Discards an incomplete value, and an empty one if `required`. */
export function SavedField({
  value,
  onSave,
  ...attributes
}: ComponentProps<typeof Field> & { value: string; onSave: (value: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const typing = useRef<Typing>({});
  const save = () => {
    const { isChanged, value: newValue } = typing.current;
    typing.current = {};
    if (!isChanged) return;
    if (newValue !== undefined && newValue !== value) onSave(newValue);
    else if (input.current) input.current.value = value;
  };
  useBeforeLeave(save);
  useLayoutEffect(() => {
    // Clears incomplete input, which no property holds.
    if (input.current && !typing.current.isChanged) input.current.value = value;
  }, [value]);
  const recordValue = ({ currentTarget: { value: text, validity } }: TargetedEvent<HTMLInputElement>) => {
    typing.current.value = validity.valid ? text : undefined;
  };
  return (
    <Field
      {...attributes}
      ref={input}
      onPointerDown={() => (typing.current.usesKeys = false)}
      onKeyDown={(event) => {
        recordValue(event);
        typing.current.usesKeys = true;
        if (event.key === 'Enter') save();
      }}
      onKeyUp={recordValue}
      onInput={(event) => {
        typing.current.isChanged = true;
        // On blur, browsers complete typed parts, such as 0 to January.
        if (!typing.current.usesKeys) recordValue(event);
      }}
      onChange={() => {
        if (!typing.current.usesKeys) save();
      }}
      onBlur={save}
    />
  );
}
