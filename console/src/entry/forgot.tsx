import { useState } from 'preact/hooks';
import { client } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Field, Form } from '../ui/form.tsx';
import { EntryPage, entryAddress, MailHint } from './entry.tsx';

const reset = `mutation ($email: String!, $code: String!, $password: String!) {
  resetPassword(email: $email, code: $code, password: $password)
}`;

/** The way back in for who has forgotten the password. */
export function Forgot() {
  const [email, setEmail] = useState<string>();
  const [isDone, setDone] = useState(false);
  const send = useAction(async ({ email: address = '' }: Readonly<Record<string, string>>) => {
    await client.graphql('mutation ($email: String!) { requestPasswordReset(email: $email) }', { email: address });
    setEmail(address);
  });
  const change = useAction(async ({ code = '', password = '' }: Readonly<Record<string, string>>) => {
    await client.graphql(reset, { email, code: code.trim(), password });
    setDone(true);
  });
  return (
    <EntryPage title={texts.newPassword}>
      {!isDone && (
        <Form problem={send.problem} onSubmit={send.run}>
          <Field
            label={texts.email}
            name="email"
            type="email"
            autocomplete="username"
            required
            readOnly={email !== undefined}
          />
          {email === undefined && (
            <button class="primary" disabled={send.isBusy}>
              {texts.sendCode}
            </button>
          )}
        </Form>
      )}
      {email !== undefined && !isDone && (
        <Form problem={change.problem} onSubmit={change.run}>
          <p role="status">{texts.codeSent(email)}</p>
          <MailHint />
          <Field label={texts.code} name="code" inputMode="numeric" autocomplete="one-time-code" autofocus required />
          <Field label={texts.newPassword} name="password" type="password" autocomplete="new-password" required />
          <button class="primary" disabled={change.isBusy}>
            {texts.setPassword}
          </button>
        </Form>
      )}
      {isDone && <p role="status">{texts.passwordChanged}</p>}
      <p class="links">
        <a href={entryAddress('/')}>{texts.backToSignIn}</a>
      </p>
    </EntryPage>
  );
}
