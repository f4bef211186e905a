import type { ComponentProps, TargetedEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Field } from './form.tsx';
import { useLeaving } from './leaving.ts';

interface Typing {
  isChanged?: boolean;
  isByKeys?: boolean;
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
    const { isChanged, value: typed } = typing.current;
    typing.current = {};
    if (!isChanged) return;
    if (typed !== undefined && typed !== value) onSave(typed);
    else if (input.current) input.current.value = value;
  };
  useLeaving(save);
  useLayoutEffect(() => {
    // Clears incomplete input, which no property holds.
    if (input.current && !typing.current.isChanged) input.current.value = value;
  }, [value]);
  const note = ({ currentTarget: { value: now, validity } }: TargetedEvent<HTMLInputElement>) => {
    typing.current.value = validity.valid ? now : undefined;
  };
  return (
    <Field
      {...attributes}
      ref={input}
      onPointerDown={() => (typing.current.isByKeys = false)}
      onKeyDown={(event) => {
        note(event);
        typing.current.isByKeys = true;
        if (event.key === 'Enter') save();
      }}
      onKeyUp={note}
      onInput={(event) => {
        typing.current.isChanged = true;
        // On blur, browsers complete typed parts, such as 0 to January.
        if (!typing.current.isByKeys) note(event);
      }}
      onChange={() => {
        if (!typing.current.isByKeys) save();
      }}
      onBlur={save}
    />
  );
}
