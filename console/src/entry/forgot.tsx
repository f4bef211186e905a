import { useState } from 'preact/hooks';
import { entryClient } from '../app/session.ts';
import { texts } from '../texts.ts';
import { Check } from '../ui/form.tsx';
import { ByCode, type CodeInput } from './by-code.tsx';
import { EntryPage, entryAddress } from './entry-page.tsx';

const request = 'mutation ($email: String!) { requestPasswordReset(email: $email) }';
const reset = `mutation ($email: String!, $code: String!, $password: String!, $endOtherWaysIn: Boolean) {
  resetPassword(email: $email, code: $code, password: $password, endOtherWaysIn: $endOtherWaysIn)
}`;

export function Forgot() {
  const [isDone, setDone] = useState(false);
  const [endOtherWaysIn, setEnding] = useState(false);
  const done = async (input: CodeInput) => {
    await entryClient.graphql(reset, { ...input, endOtherWaysIn });
    setDone(true);
  };
  return (
    <EntryPage title={texts.newPassword}>
      {isDone ? (
        <p role="status">{texts.passwordChanged}</p>
      ) : (
        <ByCode
          request={request}
          label={texts.newPassword}
          action={texts.setPassword}
          done={done}
          options={
            <Check
              label={texts.endOtherWaysIn}
              hint={texts.endOtherWaysInHint}
              isOn={endOtherWaysIn}
              onChange={setEnding}
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
