import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Task } from 'taskgate-client';
import { useBeforeLeave } from '../ui/before-leave.ts';
import { texts } from '../texts.ts';
import { Rendered } from './rendered.tsx';
import { setDraft, draftText, maxLengths, sendDraft, type TextField } from './drafts.ts';

/** Sends its text on blur, and then shows the changes of others. */
export function Draft({ task, field, label }: { task: Task; field: TextField; label: string }) {
  const htmlId = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const isTitle = field === 'title';
  const text = draftText(task.id, field) ?? task[field] ?? '';
  const sendText = () => sendDraft(task.id, field);
  useBeforeLeave(sendText);
  useLayoutEffect(() => {
    // Browsers without `field-sizing` need an explicit height.
    if (area.current && !CSS.supports('field-sizing', 'content')) {
      area.current.style.height = 'auto';
      area.current.style.height = `${area.current.scrollHeight}px`;
    }
  }, [text]);
  return (
    <div class={isTitle ? 'field title-field' : 'field text-field'}>
      <label class="hidden" for={htmlId}>
        {label}
      </label>
      {!isTitle && text !== '' && <Rendered text={text} />}
      <textarea
        ref={area}
        id={htmlId}
        name={field}
        rows={1}
        placeholder={isTitle ? undefined : texts.addDescription}
        maxLength={maxLengths[field]}
        dir="auto"
        value={text}
        onInput={({ currentTarget: { value } }) => setDraft(task, field, text, value)}
        onBlur={sendText}
        onKeyDown={(event) => {
          if (isTitle && event.key === 'Enter') {
            event.preventDefault();
            event.currentTarget.blur();
          }
        }}
      />
    </div>
  );
}
