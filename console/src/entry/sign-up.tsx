import type { Account } from '../app/last-account.ts';
import { entryClient } from '../app/session.ts';
import { adoptZone } from '../app/time-zone.ts';
import { texts } from '../texts.ts';
import { CodeForm, type CodeInput } from './code-form.tsx';
import { EntryPage, entryAddress } from './entry-page.tsx';
import { Providers } from './providers.tsx';
import { completeSignIn } from './sign-in.tsx';

const request = 'mutation ($email: String!) { requestSignUpCode(email: $email) }';
const signUp = `mutation ($email: String!, $code: String!, $password: String!) {
  account: signUp(email: $email, code: $code, password: $password) { id email }
}`;

async function createAccount(input: CodeInput): Promise<void> {
  const { account } = await entryClient.graphql<{ account: Account }>(signUp, input);
  await adoptZone(account);
  await completeSignIn(account);
}

export const SignUp = () => (
  <EntryPage title={texts.createAccount}>
    <CodeForm request={request} label={texts.password} action={texts.createAccount} onFinish={createAccount}>
      <Providers />
    </CodeForm>
    <p class="links">
      <a href={entryAddress('/')}>{texts.haveAccount}</a>
    </p>
  </EntryPage>
);
