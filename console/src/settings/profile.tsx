import { useState } from 'preact/hooks';
import { user } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { codeSentText } from '../app/mails.ts';
import { currentClient, request } from '../app/session.ts';
import { currentTheme, setTheme, type Theme } from '../app/theme.ts';
import { notify } from '../app/notice.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Field, Form, PasswordField, Radios, Submit, type Values } from '../ui/form.tsx';

export function Profile() {
  const me = useQuery(() => user);
  const save = useAction(async (_values: unknown, form: HTMLFormElement) => {
    const body = new FormData(form);
    const picture = body.get('image');
    if (picture instanceof File && picture.size === 0) body.delete('image');
    await currentClient().rest.updateProfile({ body });
    notify(texts.saved);
  });
  const [theme, setShownTheme] = useState(currentTheme());
  const chooseTheme = (next: Theme) => {
    setTheme(next);
    setShownTheme(next);
  };
  if (!me) return null;
  return (
    <>
      <Form problem={save.problem} onSubmit={save.run}>
        <div class="line">
          <Avatar person={me} />
          <p>{me.email}</p>
        </div>
        <Field
          label={texts.yourName}
          name="name"
          defaultValue={me.name ?? ''}
          maxLength={255}
          autocomplete="name"
          required
        />
        <Field label={texts.picture} name="image" type="file" accept="image/png,image/jpeg" hint={texts.pictureHint} />
        <Submit isBusy={save.isBusy}>{texts.save}</Submit>
      </Form>
      <Radios label={texts.theme} texts={texts.themes} value={theme} onChoose={chooseTheme} />
      <EmailChange />
    </>
  );
}

/** A code confirms the new address. */
function EmailChange() {
  const [sentTo, setSentTo] = useState<string>();
  const send = useAction(async ({ email = '', password = '' }: Values) => {
    await request(
      'mutation ($email: String!, $password: String) { requestEmailChange(email: $email, password: $password) }',
      { email, password: password === '' ? null : password },
    );
    setSentTo(email);
  });
  const confirm = useAction(async ({ code = '' }: Values) => {
    await request('mutation ($code: String!) { confirmEmailChange(code: $code) { id } }', { code: code.trim() });
    setSentTo(undefined);
    notify(texts.saved);
  });
  return (
    <details class="part">
      <summary>{texts.changeEmail}</summary>
      {sentTo !== undefined ? (
        <Form problem={confirm.problem} onSubmit={confirm.run}>
          <p role="status">{codeSentText(sentTo)}</p>
          <Field label={texts.code} name="code" inputMode="numeric" autocomplete="one-time-code" required />
          <Submit>{texts.changeEmail}</Submit>
        </Form>
      ) : (
        <Form problem={send.problem} onSubmit={send.run}>
          <Field label={texts.newEmail} name="email" type="email" required />
          <PasswordField
            label={texts.currentPassword}
            name="password"
            autocomplete="current-password"
            required={false}
          />
          <Submit>{texts.sendCode}</Submit>
        </Form>
      )}
    </details>
  );
}
