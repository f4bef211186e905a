import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { NamedMember } from '../app/names.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { useMemberBox } from '../ui/member-box.tsx';
import { draftText, discardDraft, maxLengths, setDraft } from './drafts.ts';

/** The text is a draft until it is sent. @param id of the task or comment */
export function CommentForm({
  id,
  label,
  action,
  members,
  isEdit = false,
  onSend,
  children,
}: {
  id: string;
  label: string;
  action: string;
  members: readonly NamedMember[];
  isEdit?: boolean;
  onSend: (text: string) => void;
  children?: ComponentChildren;
}) {
  const htmlId = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const text = draftText(id, 'comment') ?? '';
  const setText = (next: string) => setDraft({ id }, 'comment', '', next);
  const box = useMemberBox({ sign: '@', members, field: area, setText });
  useLayoutEffect(() => {
    if (isEdit) area.current?.focus();
  }, []);
  const send = () => {
    // The last key may not be rendered yet.
    const current = (draftText(id, 'comment') ?? '').trim();
    if (current === '') return;
    onSend(current);
    discardDraft(id, 'comment');
  };
  return (
    <form
      class="comment-form"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div class="field">
        <label for={htmlId}>{label}</label>
        <textarea
          ref={area}
          id={htmlId}
          rows={isEdit ? 3 : 2}
          maxLength={maxLengths.comment}
          dir="auto"
          value={text}
          {...box.attributes}
          onInput={({ currentTarget: { value } }) => {
            setText(value);
            box.read();
          }}
          onBlur={box.close}
          onKeyDown={(event) => {
            if (box.onKey(event)) return;
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
          }}
        />
        {box.list}
      </div>
      <div class="buttons">
        <button class={isEdit ? 'primary' : undefined} aria-disabled={text.trim() === ''}>
          {action}
        </button>
        {isEdit && <Button text={texts.cancel} onClick={() => discardDraft(id, 'comment')} />}
        {children}
      </div>
    </form>
  );
}
