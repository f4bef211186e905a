import { useEffect, useRef, useState } from 'preact/hooks';
import { addressAfterSignIn } from '../app/paths.ts';
import { go } from '../app/router.ts';
import type { Account } from '../app/last-account.ts';
import { entryClient, enter } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Field, Form, PasswordField, Submit, type Values } from '../ui/form.tsx';
import { afterTyping } from '../ui/typing.ts';
import { EntryPage, entryAddress } from './entry-page.tsx';
import { Providers } from './providers.tsx';
import { canUsePasskeys, signInByPasskey } from './passkey.ts';

const signIn = `mutation ($email: String!, $password: String!, $totp: String) {
  account: signIn(email: $email, password: $password, totp: $totp) { id email }
}`;

export async function completeSignIn(account: Account): Promise<void> {
  go(addressAfterSignIn(), { replace: true });
  await enter(account);
}

export function SignIn({ email, problem }: { email?: string | undefined; problem?: string | undefined }) {
  const {
    run,
    isBusy,
    problem: refusal,
    code,
  } = useAction(async (values: Values) => {
    const { totp, ...credentials } = values;
    const { account } = await entryClient.graphql<{ account: Account }>(signIn, { ...credentials, totp: totp || null });
    await completeSignIn(account);
  });
  const passkey = useAction(async () => completeSignIn(await signInByPasskey()));
  const notice = refusal ?? passkey.problem ?? (problem && (texts.providerProblems[problem] ?? texts.unknownProblem));
  const needsCode = code === 'SECOND_FACTOR_REQUIRED';
  // The field stays after a wrong code.
  const [showsCode, setShowsCode] = useState(false);
  useEffect(() => {
    if (needsCode) setShowsCode(true);
  }, [needsCode]);
  const password = useRef<HTMLInputElement>(null);
  // The session may have ended while the person was typing a task.
  useEffect(
    () =>
      email === undefined
        ? undefined
        : afterTyping(() => {
            if (document.activeElement === document.body) password.current?.focus();
          }),
    [],
  );
  return (
    <EntryPage title={texts.signIn}>
      <p class="hint">{email === undefined ? texts.about : texts.sessionEnded}</p>
      <Form problem={needsCode ? undefined : notice} onSubmit={run}>
        <Field
          label={texts.email}
          name="email"
          type="email"
          autocomplete="username webauthn"
          defaultValue={email}
          autofocus={email === undefined}
          required
        />
        <PasswordField label={texts.password} name="password" autocomplete="current-password" ref={password} />
        {(needsCode || showsCode) && (
          <Field
            label={texts.factorCode}
            name="totp"
            autocomplete="one-time-code"
            autofocus
            hint={texts.factorHint}
            required={needsCode}
          />
        )}
        <Submit isBusy={isBusy}>{texts.signIn}</Submit>
      </Form>
      <Providers />
      {canUsePasskeys() && (
        <Button text={texts.usePasskey} aria-disabled={passkey.isBusy} onClick={() => passkey.run()} />
      )}
      <p class="links">
        <a href={entryAddress('/signup')}>{texts.createAnAccount}</a>
        <a href={entryAddress('/forgot')}>{texts.forgot}</a>
      </p>
    </EntryPage>
  );
}
