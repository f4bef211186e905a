import { useState } from 'preact/hooks';
import { entryClient } from '../app/session.ts';
import { texts } from '../texts.ts';
import { Check } from '../ui/form.tsx';
import { CodeForm, type CodeInput } from './code-form.tsx';
import { EntryPage, entryAddress } from './entry-page.tsx';

const request = 'mutation ($email: String!) { requestPasswordReset(email: $email) }';
const reset = `mutation ($email: String!, $code: String!, $password: String!, $endOtherWaysIn: Boolean) {
  resetPassword(email: $email, code: $code, password: $password, endOtherWaysIn: $endOtherWaysIn)
}`;

export function ForgotPassword() {
  const [isDone, setDone] = useState(false);
  const [endOtherWaysIn, setEndOtherWaysIn] = useState(false);
  const resetPassword = async (input: CodeInput) => {
    await entryClient.graphql(reset, { ...input, endOtherWaysIn });
    setDone(true);
  };
  return (
    <EntryPage title={texts.newPassword}>
      {isDone ? (
        <p role="status">{texts.passwordChanged}</p>
      ) : (
        <CodeForm
          request={request}
          label={texts.newPassword}
          action={texts.setPassword}
          onFinish={resetPassword}
          options={
            <Check
              label={texts.endOtherWaysIn}
              hint={texts.endOtherWaysInHint}
              isOn={endOtherWaysIn}
              onChange={setEndOtherWaysIn}
            />
          }
        />
      )}
      <p class="links">
        <a href={entryAddress('/')}>{texts.backToSignIn}</a>
      </p>
    </EntryPage>
  );
}
