import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { RuleError } from 'taskgate-client';
import { hasEnded } from '../app/last-account.ts';
import { closeOnNavigation } from '../app/router.ts';
import { texts } from '../texts.ts';
import { useAction } from './action.ts';
import { Button } from './button.tsx';
import { Choice, Field, Form } from './form.tsx';

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
    // Only a closed dialog returns the focus.
    return () => dialog.current?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={({ currentTarget }) => {
        // It also closes if the page around it is gone.
        if (currentTarget.isConnected) onClose();
      }}
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
  /** Of the field. A name has up to 255 characters. */
  readonly maxLength?: number;
  /** A second field. */
  readonly choice?: {
    readonly label: string;
    readonly texts: Readonly<Record<string, string>>;
    readonly value: string;
  };
  readonly action: string;
  readonly isDangerous?: boolean;
  /** The dialog stays open if this rejects. Absent: the text is all, and there is no "Cancel". */
  readonly onConfirm?: (value: string, choice: string) => unknown;
  readonly other?: { readonly action: string; readonly onConfirm: () => unknown };
}

const currentQuestion = signal<Question | undefined>(undefined);

/** The input so far. */
let answer: { value?: string; choice?: string } = {};

// The sign-in after the end of a session returns to the page with its question.
closeOnNavigation(() => hasEnded.value || (currentQuestion.value = undefined));

export function ask(question: Question): void {
  answer = {};
  currentQuestion.value = question;
}

/** Confirms an action that cannot be undone. @param text describes its effect */
export const askToConfirm = (action: string, text: string, onConfirm: () => unknown): void =>
  ask({ title: action, text, action, isDangerous: true, onConfirm });

export const askForNew = (title: string, create: (name: string) => unknown): void =>
  ask({ title, label: texts.nameOf, action: texts.create, onConfirm: create });

export const OpenQuestion = () =>
  currentQuestion.value && <QuestionDialog key={currentQuestion.value.title} question={currentQuestion.value} />;

function QuestionDialog({ question }: { question: Question }) {
  const close = () => {
    if (currentQuestion.value === question) currentQuestion.value = undefined;
  };
  const [chosen, setChosen] = useState(answer.choice ?? question.choice?.value ?? '');
  const { run, problem, isBusy } = useAction(async (confirm: () => unknown) => {
    await confirm();
    close();
  });
  return (
    <Dialog title={question.title} onClose={close}>
      <Form
        problem={problem}
        onSubmit={({ value = '' }) =>
          run(() => {
            if (question.label !== undefined && value.trim() === '')
              throw new RuleError(texts.notBlank, question.label);
            return question.onConfirm?.(value, chosen);
          })
        }
      >
        {question.text !== undefined && <p class="plain">{question.text}</p>}
        {question.label !== undefined && (
          <Field
            label={question.label}
            name="value"
            type={question.type ?? 'text'}
            maxLength={question.maxLength ?? 255}
            defaultValue={answer.value ?? question.value}
            onInput={({ currentTarget }) => (answer.value = currentTarget.value)}
            required
            autofocus
            autocomplete="off"
          />
        )}
        {question.choice && (
          <Choice {...question.choice} value={chosen} onChoose={(choice) => setChosen((answer.choice = choice))} />
        )}
        <div class="buttons">
          {question.onConfirm && <Button text={texts.cancel} onClick={close} />}
          {question.other && (
            <Button
              text={question.other.action}
              aria-disabled={isBusy}
              onClick={() => run(question.other?.onConfirm ?? close)}
            />
          )}
          <button
            class={question.isDangerous ? 'primary dangerous' : 'primary'}
            aria-disabled={isBusy}
            autofocus={question.other !== undefined && question.label === undefined}
          >
            {question.action}
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
