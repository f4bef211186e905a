import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { codeSentText } from '../app/mails.ts';
import { entryClient } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Field, Form, PasswordField, Submit, type Values } from '../ui/form.tsx';

export interface CodeInput extends Record<string, unknown> {
  readonly email: string;
  readonly code: string;
  readonly password: string;
}

/** A form that sends a code, then a form for the code and a new password. @param request mutation that sends the code @param children content until the code is sent */
export function CodeForm({
  request,
  label,
  action,
  onFinish,
  options,
  children,
}: {
  request: string;
  label: string;
  action: string;
  onFinish: (input: CodeInput) => Promise<void>;
  options?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const [sentTo, setSentTo] = useState<string>();
  const send = useAction(async ({ email = '' }: Values) => {
    await entryClient.graphql(request, { email });
    setSentTo(email);
  });
  const finish = useAction(({ code = '', password = '' }: Values) =>
    onFinish({ email: sentTo ?? '', code: code.trim(), password }),
  );
  return (
    <>
      <Form problem={send.problem} onSubmit={send.run}>
        <Field label={texts.email} name="email" type="email" autocomplete="username" autofocus required />
        <button class={sentTo === undefined ? 'primary' : undefined} aria-disabled={send.isBusy}>
          {sentTo === undefined ? texts.sendCode : texts.sendCodeAgain}
        </button>
      </Form>
      {sentTo === undefined && children}
      {sentTo !== undefined && (
        <Form problem={finish.problem} onSubmit={finish.run}>
          <p role="status">{codeSentText(sentTo)}</p>
          <Field label={texts.code} name="code" inputMode="numeric" autocomplete="one-time-code" autofocus required />
          <PasswordField label={label} name="password" autocomplete="new-password" />
          {options}
          <Submit isBusy={finish.isBusy}>{action}</Submit>
        </Form>
      )}
    </>
  );
}
