import { useState } from 'preact/hooks';
import { formatMoment } from '../app/days.ts';
import { request } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { askToConfirm } from '../ui/dialog.tsx';
import { Field, Form, Submit, type Values } from '../ui/form.tsx';
import { ShownOnce } from './shown-once.tsx';
import { SpaceField } from '../ui/spaces.tsx';
import { useViewer } from './use-viewer.ts';

interface Token {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

const create = 'mutation ($input: CreateAccessTokenInput!) { made: createAccessToken(input: $input) { token } }';

export function Tokens() {
  const { viewer, problem, load } = useViewer<{ accessTokens: readonly Token[] }>(
    'accessTokens { id name scopes expiresAt lastUsedAt }',
  );
  const [newToken, setNewToken] = useState<string>();
  const add = useAction(async (values: Values, form: HTMLFormElement) => {
    const { name, scope, space, expires } = values;
    const input = {
      name,
      scopes: [scope],
      ...(space && { spaceIds: [space] }),
      ...(expires && { expiresAt: new Date(`${expires}T23:59:59`).toISOString() }),
    };
    setNewToken((await request<{ made: { token: string } }>(create, { input })).made.token);
    form.reset();
    await load();
  });
  const revoke = ({ id, name }: Token) =>
    askToConfirm(texts.revoke, texts.revokeTokenHint(name), () =>
      request('mutation ($id: ID!) { revokeAccessToken(id: $id) }', { id }).then(load),
    );
  return (
    <>
      <p class="hint">{texts.tokensHint}</p>
      <ShownOnce text={texts.tokenMade} secret={newToken} />
      <ul class="rows" aria-label={texts.tokens}>
        {viewer?.accessTokens.map((token) => (
          <li key={token.id}>
            <p>
              {token.name}
              <span class="hint">
                {token.scopes.map((scope) => texts.scopes[scope]).join(', ')} ·{' '}
                {token.expiresAt === null ? texts.neverEnds : texts.endsAt(formatMoment(token.expiresAt))} ·{' '}
                {token.lastUsedAt === null ? texts.neverUsed : texts.usedAt(formatMoment(token.lastUsedAt))}
              </span>
            </p>
            <Button text={texts.revoke} onClick={() => revoke(token)} />
          </li>
        ))}
      </ul>
      <Form problem={add.problem ?? problem} onSubmit={add.run} class="part">
        <h3>{texts.newToken}</h3>
        <Field label={texts.nameOf} name="name" maxLength={100} required />
        <div class="field">
          <label for="scope">{texts.permissions}</label>
          <select id="scope" name="scope">
            <option value="READ">{texts.scopes['READ']}</option>
            <option value="WRITE">{texts.scopes['WRITE']}</option>
          </select>
        </div>
        <SpaceField label={texts.access} />
        <Field label={texts.endsOn} name="expires" type="date" hint={texts.endsOnHint} />
        <Submit isBusy={add.isBusy}>{texts.createToken}</Submit>
      </Form>
    </>
  );
}
