import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Task } from 'taskgate-client';
import { change } from '../app/replica.ts';

/** Milliseconds without a key after which a text is kept. */
const pauseMs = 700;

/** A text of a task, kept as one types: what others write meanwhile is shown when the field is left. */
export function Draft({
  task: { id, ...task },
  field,
  label,
  isTitle = false,
}: {
  task: Task;
  field: 'title' | 'description';
  label: string;
  isTitle?: boolean;
}) {
  const htmlId = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [draft, setDraft] = useState<string>();
  const kept = task[field] ?? '';
  const text = draft ?? kept;
  const keep = (value: string) => {
    clearTimeout(timer.current);
    const next = isTitle ? value.replaceAll('\n', ' ').trim() : value;
    if (next === kept || (isTitle && next === '')) return;
    change('updateTask', { id, input: { [field]: next === '' ? null : next } });
  };
  // What is typed when the panel closes is kept as well.
  const last = useRef(() => {});
  last.current = () => {
    if (draft !== undefined) keep(draft);
  };
  useEffect(() => () => last.current(), []);
  useLayoutEffect(() => {
    // As high as its text, where the browser does not do so by itself.
    if (area.current && !CSS.supports('field-sizing', 'content')) {
      area.current.style.height = 'auto';
      area.current.style.height = `${area.current.scrollHeight}px`;
    }
  }, [text]);
  return (
    <div class={isTitle ? 'field title-field' : 'field'}>
      <label for={htmlId}>{label}</label>
      <textarea
        ref={area}
        id={htmlId}
        name={field}
        rows={isTitle ? 1 : 3}
        maxLength={isTitle ? 500 : 16_384}
        dir="auto"
        value={text}
        onInput={({ currentTarget: { value } }) => {
          setDraft(value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => last.current(), pauseMs);
        }}
        onBlur={() => {
          last.current();
          setDraft(undefined);
        }}
        onKeyDown={(event) => {
          if (isTitle && event.key === 'Enter' && !event.isComposing) {
            event.preventDefault();
            event.currentTarget.blur();
          }
        }}
      />
    </div>
  );
}
