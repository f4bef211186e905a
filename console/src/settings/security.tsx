import { formatMoment } from '../app/days.ts';
import { request } from '../app/session.ts';
import { notify } from '../app/notice.ts';
import { addPasskey, canUsePasskeys } from '../entry/passkey.ts';
import { useProviders } from '../entry/providers.tsx';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { askToConfirm } from '../ui/dialog.tsx';
import { Field, Form, PasswordField, Problem, Submit, type Values } from '../ui/form.tsx';
import { Authenticator } from './authenticator.tsx';
import { Sessions } from './sessions.tsx';
import { useViewer } from './use-viewer.ts';

interface Credentials {
  readonly isPasswordSet: boolean;
  readonly totp: boolean;
  readonly providers: readonly string[];
  readonly passkeys: readonly { readonly id: string; readonly name: string; readonly createdAt: string }[];
}

const changePassword = `mutation ($currentPassword: String, $newPassword: String!, $confirmNewPassword: String!) {
  changePassword(currentPassword: $currentPassword, newPassword: $newPassword, confirmNewPassword: $confirmNewPassword) { id }
}`;

export function Security() {
  const { viewer, problem, load } = useViewer<Credentials>(
    'isPasswordSet totp providers passkeys { id name createdAt }',
  );
  if (!viewer) return <p role="status">{problem ?? texts.opening}</p>;
  return (
    <>
      <Password isSet={viewer.isPasswordSet} onChange={load} />
      <Authenticator isOn={viewer.totp} onChange={load} />
      <Passkeys passkeys={viewer.passkeys} onChange={load} />
      <LinkedProviders linked={viewer.providers} onChange={load} />
      <Sessions />
    </>
  );
}

function Password({ isSet, onChange }: { isSet: boolean; onChange: () => unknown }) {
  const save = useAction(async (values: Values, form: HTMLFormElement) => {
    await request(changePassword, { currentPassword: null, ...values });
    form.reset();
    notify(texts.passwordChangedHere);
    await onChange();
  });
  return (
    <section class="part" aria-label={texts.password}>
      <h3>{texts.password}</h3>
      <Form problem={save.problem} onSubmit={save.run}>
        {isSet && (
          <PasswordField label={texts.currentPassword} name="currentPassword" autocomplete="current-password" />
        )}
        <PasswordField label={texts.newPassword} name="newPassword" autocomplete="new-password" />
        <PasswordField label={texts.repeatPassword} name="confirmNewPassword" autocomplete="new-password" />
        <Submit isBusy={save.isBusy}>{texts.changePassword}</Submit>
      </Form>
    </section>
  );
}

function Passkeys({ passkeys, onChange }: { passkeys: Credentials['passkeys']; onChange: () => unknown }) {
  const add = useAction(async ({ name = '' }: Values, form: HTMLFormElement) => {
    await addPasskey(name);
    form.reset();
    await onChange();
  });
  const remove = (id: string, name: string) =>
    askToConfirm(texts.remove, texts.removePasskeyHint(name), () =>
      request('mutation ($id: ID!) { deletePasskey(id: $id) }', { id }).then(onChange),
    );
  return (
    <section class="part" aria-label={texts.passkeys}>
      <h3>{texts.passkeys}</h3>
      <ul class="rows" aria-label={texts.passkeys}>
        {passkeys.map(({ id, name, createdAt }) => (
          <li key={id}>
            <p>
              {name} <span class="hint">{texts.addedAt(formatMoment(createdAt))}</span>
            </p>
            <Button text={texts.remove} onClick={() => remove(id, name)} />
          </li>
        ))}
      </ul>
      {canUsePasskeys() ? (
        <Form problem={add.problem} onSubmit={add.run}>
          <Field label={texts.passkeyName} name="name" maxLength={255} required />
          <button aria-disabled={add.isBusy}>{texts.addPasskey}</button>
        </Form>
      ) : (
        <p class="hint">{texts.noPasskeys}</p>
      )}
    </section>
  );
}

const link = 'mutation ($provider: String!) { url: linkProvider(provider: $provider, returnTo: "/settings/security") }';
const unlink = 'mutation ($provider: String!) { unlinkProvider(provider: $provider) { id } }';

function LinkedProviders({ linked, onChange }: { linked: readonly string[]; onChange: () => unknown }) {
  const providers = useProviders();
  const begin = useAction(async (provider: string) => {
    location.assign((await request<{ url: string }>(link, { provider })).url);
  });
  const end = (provider: string, label: string) =>
    askToConfirm(texts.unlink, texts.unlinkHint(label), () => request(unlink, { provider }).then(onChange));
  if (providers.length === 0) return null;
  return (
    <section class="part" aria-label={texts.linkedProviders}>
      <h3>{texts.linkedProviders}</h3>
      <ul class="rows" aria-label={texts.linkedProviders}>
        {providers.map(({ name, label }) => (
          <li key={name}>
            <p>{label}</p>
            {linked.includes(name) ? (
              <Button text={texts.unlink} onClick={() => end(name, label)} />
            ) : (
              <Button text={texts.link} aria-disabled={begin.isBusy} onClick={() => begin.run(name)} />
            )}
          </li>
        ))}
      </ul>
      <Problem>{begin.problem}</Problem>
    </section>
  );
}
