import { useState } from 'preact/hooks';
import { type Account, client } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Field, Form } from '../ui/form.tsx';
import { EntryPage, entryAddress, MailHint } from './entry.tsx';
import { Providers } from './providers.tsx';
import { welcome } from './sign-in.tsx';

const signUp = `mutation ($email: String!, $code: String!, $password: String!) {
  account: signUp(email: $email, code: $code, password: $password) { id email }
}`;

/** The way in for who has no account: an address, then the code that was sent to it. */
export function SignUp() {
  const [email, setEmail] = useState<string>();
  const send = useAction(async ({ email: address = '' }: Readonly<Record<string, string>>) => {
    await client.graphql('mutation ($email: String!) { requestSignUpCode(email: $email) }', { email: address });
    setEmail(address);
  });
  const create = useAction(async ({ code = '', password = '' }: Readonly<Record<string, string>>) => {
    const variables = { email, code: code.trim(), password };
    await welcome((await client.graphql<{ account: Account }>(signUp, variables)).account);
  });
  return (
    <EntryPage title={texts.createAccount}>
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
      {email !== undefined && (
        <Form problem={create.problem} onSubmit={create.run}>
          <p role="status">{texts.codeSent(email)}</p>
          <MailHint />
          <Field label={texts.code} name="code" inputMode="numeric" autocomplete="one-time-code" autofocus required />
          <Field label={texts.password} name="password" type="password" autocomplete="new-password" required />
          <button class="primary" disabled={create.isBusy}>
            {texts.createAccount}
          </button>
        </Form>
      )}
      {email === undefined && <Providers />}
      <p class="links">
        <a href={entryAddress('/')}>{texts.haveAccount}</a>
      </p>
    </EntryPage>
  );
}
