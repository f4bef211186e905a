import { type Account, entryClient } from '../app/session.ts';
import { adoptZone } from '../app/time-zone.ts';
import { texts } from '../texts.ts';
import { ByCode, type CodeInput } from './by-code.tsx';
import { EntryPage, entryAddress } from './entry-page.tsx';
import { Providers } from './providers.tsx';
import { welcome } from './sign-in.tsx';

const request = 'mutation ($email: String!) { requestSignUpCode(email: $email) }';
const signUp = `mutation ($email: String!, $code: String!, $password: String!) {
  account: signUp(email: $email, code: $code, password: $password) { id email }
}`;

async function create(input: CodeInput): Promise<void> {
  const { account } = await entryClient.graphql<{ account: Account }>(signUp, input);
  await adoptZone(account);
  await welcome(account);
}

export const SignUp = () => (
  <EntryPage title={texts.createAccount}>
    <ByCode request={request} label={texts.password} action={texts.createAccount} done={create}>
      <Providers />
    </ByCode>
    <p class="links">
      <a href={entryAddress('/')}>{texts.haveAccount}</a>
    </p>
  </EntryPage>
);
