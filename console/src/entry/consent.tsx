import { useEffect, useState } from 'preact/hooks';
import { user } from 'taskgate-client';
import { errorText } from '../app/notice.ts';
import { useQuery } from '../app/replica.ts';
import { currentAccount, currentReplica, request } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { SpaceField } from '../ui/spaces.tsx';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Form, Radios, Submit, type Values } from '../ui/form.tsx';
import { EntryPage } from './entry-page.tsx';

interface Request {
  readonly name: string;
  readonly redirectHost: string;
  readonly isLocal: boolean;
  readonly scopes: readonly string[];
  readonly redirectTo: string | null;
  readonly cancelTo: string;
}

const read = `query ($query: String!) {
  request: applicationRequest(query: $query) { name redirectHost isLocal scopes redirectTo cancelTo }
}`;
const allow = `mutation ($query: String!, $scopes: [TokenScope!]!, $spaceIds: [ID!]) {
  url: allowApplication(query: $query, scopes: $scopes, spaceIds: $spaceIds)
}`;

/** Asks whether an application may use the account. */
export function Consent() {
  const [opened, setOpened] = useState<Request>();
  const [problem, setProblem] = useState<string>();
  const open = async () => {
    try {
      const answer = await request<{ request: Request }>(read, { query: location.search });
      const { redirectTo } = answer.request;
      if (redirectTo === null) setOpened(answer.request);
      else location.replace(redirectTo);
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  useEffect(() => void open(), []);
  if (opened) return <Question request={opened} />;
  return (
    <EntryPage title={texts.connectApplication}>
      {problem === undefined ? (
        <p role="status">{texts.opening}</p>
      ) : (
        <div role="alert">
          <p>{texts.badRequest}</p>
          <p class="hint">{problem}</p>
        </div>
      )}
    </EntryPage>
  );
}

function Question({ request: { name, redirectHost, isLocal, scopes, cancelTo } }: { request: Request }) {
  const me = useQuery(() => user);
  const choices: Readonly<Record<string, string>> = scopes.includes('WRITE')
    ? texts.mayScopes
    : { READ: texts.mayScopes.READ };
  const [scope, setScope] = useState(Object.keys(choices).at(-1) ?? '');
  const { run, isBusy, problem, code } = useAction(async ({ space }: Values) => {
    const input = { query: location.search, scopes: [scope], ...(space && { spaceIds: [space] }) };
    location.assign((await request<{ url: string }>(allow, input)).url);
  });
  // The end of the session opens the sign-in form in place. A reload could follow while somebody types.
  const signInAgain = useAction(async () => {
    await request('mutation { signOut }');
    currentReplica().reconnect();
  });
  return (
    <EntryPage title={texts.connect(name)}>
      <p>{texts.notVerified}</p>
      <p>
        {texts.toAccount} <b>{me?.email ?? currentAccount().email}</b>
      </p>
      <div>
        <p class="hint">{texts.goesTo}</p>
        <p class="host">{redirectHost}</p>
      </div>
      {isLocal && <p class="warning">{texts.isLocal}</p>}
      <Form problem={problem} onSubmit={run}>
        <Radios label={texts.may} texts={choices} value={scope} onChoose={setScope} />
        <SpaceField label={texts.reaches} />
        {code === 'REAUTHENTICATION_REQUIRED' ? (
          <Button
            text={texts.signInAgain}
            class="primary"
            aria-disabled={signInAgain.isBusy}
            onClick={signInAgain.run}
          />
        ) : (
          <Submit isBusy={isBusy}>{texts.allow}</Submit>
        )}
        <Button text={texts.cancel} onClick={() => location.assign(cancelTo)} />
      </Form>
    </EntryPage>
  );
}
