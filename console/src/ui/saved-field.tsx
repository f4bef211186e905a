import type { ComponentProps, TargetedEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { errorText } from '../app/notice.ts';
import { Field } from './form.tsx';
import { useBeforeLeave } from './before-leave.ts';

interface Typing {
  isChanged?: boolean;
  usesKeys?: boolean;
  /** The value. Undefined while it is incomplete. */
  value?: string | undefined;
}

/**
 * Saves on blur, on Enter, and immediately if the user picks a value instead of typing it. Discards an incomplete value, an empty one if
 * `required`, and any if `onSave` returns false. If `onSave` throws, the value stays, with the reason.
 */
export function SavedField({
  value,
  onSave,
  hint,
  ...attributes
}: ComponentProps<typeof Field> & { value: string; onSave: (value: string) => unknown }) {
  const input = useRef<HTMLInputElement>(null);
  const typing = useRef<Typing>({});
  const [problem, setProblem] = useState<string>();
  const save = () => {
    const { isChanged, value: newValue } = typing.current;
    typing.current = {};
    if (!isChanged) return;
    try {
      setProblem(undefined);
      if (newValue !== undefined && newValue !== value && onSave(newValue) !== false) return;
      if (input.current) input.current.value = value;
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  useBeforeLeave(save);
  useLayoutEffect(() => {
    // Clears incomplete input, which no property holds.
    if (input.current && !typing.current.isChanged) input.current.value = value;
    setProblem(undefined);
  }, [value]);
  const recordValue = ({ currentTarget: { value: text, validity } }: TargetedEvent<HTMLInputElement>) => {
    typing.current.value = validity.valid ? text : undefined;
  };
  return (
    <Field
      {...attributes}
      hint={problem ?? hint}
      aria-invalid={problem !== undefined}
      ref={input}
      onPointerDown={() => (typing.current.usesKeys = false)}
      onKeyDown={(event) => {
        recordValue(event);
        typing.current.usesKeys = true;
        if (event.key !== 'Enter') return;
        // A question that opens would take the rest of the key as its answer.
        event.preventDefault();
        save();
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
