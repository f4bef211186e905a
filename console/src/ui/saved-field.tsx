import type { ComponentProps, TargetedEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Field } from './form.tsx';
import { useLeaving } from './leaving.ts';

/** The input since the last save. */
interface Typing {
  isChanged?: boolean;
  isByKeys?: boolean;
  /** The value, unless it is half typed. */
  value?: string | undefined;
}

/**
 * An input without a button: it is saved when it is left, by Enter, and at once if its value is picked, not typed.
 * A half-typed value is no value: the field shows again what is saved. With `required`, neither is an empty one.
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
    // Half-typed parts are in no property: an assignment clears them.
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
        // A browser completes a half-typed value when it is left, without a key: 0 becomes January.
        if (!typing.current.isByKeys) note(event);
      }}
      onChange={() => {
        if (!typing.current.isByKeys) save();
      }}
      onBlur={save}
    />
  );
}
