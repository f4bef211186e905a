import type { ComponentProps, TargetedEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Field } from './form.tsx';
import { useLeaving } from './leaving.ts';

/** The input since the last save. */
interface Typing {
  isChanged?: boolean;
  isByKeys?: boolean;
  /** The value. Undefined while it is incomplete. */
  value?: string | undefined;
}

/**
 * An input without a button. It is saved on blur, on Enter, and immediately if the user picks its value instead of typing it.
 * An incomplete value is discarded, and so is an empty one if the field is `required`.
 */
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
    // No property holds incomplete input. This assignment clears it.
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
        // On blur, browsers complete typed parts, such as 0 to January. This event follows no key.
        if (!typing.current.isByKeys) note(event);
      }}
      onChange={() => {
        if (!typing.current.isByKeys) save();
      }}
      onBlur={save}
    />
  );
}
