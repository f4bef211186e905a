import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { useAction } from './action.ts';
import { Field, Form } from './form.tsx';

/** Open while it is rendered. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    dialog.current?.showModal();
    // The focus may have scrolled a long dialog to its end.
    if (dialog.current) dialog.current.scrollTop = 0;
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) event.currentTarget.close();
      }}
    >
      <div class="dialog">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

interface Question {
  readonly title: string;
  readonly text?: string;
  /** Without a label, the dialog has no field. */
  readonly label?: string;
  readonly value?: string;
  readonly type?: 'text' | 'email' | 'date';
  readonly action: string;
  readonly isDangerous?: boolean;
  /** The dialog stays open if this rejects. */
  readonly done: (value: string) => unknown;
}

const asked = signal<Question | undefined>(undefined);

export const ask = (question: Question): void => void (asked.value = question);

/** Confirms an action that cannot be undone. @param text describes its effect */
export const askFirst = (action: string, text: string, done: () => unknown): void =>
  ask({ title: action, text, action, isDangerous: true, done });

/** An unchanged name is not sent, because it would overwrite changes of others. */
export const askName = (name: string, rename: (name: string) => unknown): void =>
  ask({
    title: texts.rename,
    label: texts.nameOf,
    value: name,
    action: texts.save,
    done: (next) => next === name || rename(next),
  });

export const OpenQuestion = () => asked.value && <Asked key={asked.value.title} question={asked.value} />;

function Asked({ question }: { question: Question }) {
  const close = () => {
    if (asked.value === question) asked.value = undefined;
  };
  const { run, problem, isBusy } = useAction(async (value: string) => {
    await question.done(value);
    close();
  });
  return (
    <Dialog title={question.title} onClose={close}>
      <Form problem={problem} onSubmit={({ value = '' }) => run(value)}>
        {question.text !== undefined && <p>{question.text}</p>}
        {question.label !== undefined && (
          <Field
            label={question.label}
            name="value"
            type={question.type ?? 'text'}
            maxLength={255}
            defaultValue={question.value}
            required
            autofocus
            autocomplete="off"
          />
        )}
        <div class="buttons">
          <button type="button" onClick={close}>
            {texts.cancel}
          </button>
          <button class={question.isDangerous ? 'primary dangerous' : 'primary'} aria-disabled={isBusy}>
            {question.action}
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
