import { currentClient, leave } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Field, Form } from '../ui/form.tsx';
import { useViewer } from './use-viewer.ts';

export function Account() {
  const { viewer } = useViewer<{ isPasswordSet: boolean }>('isPasswordSet');
  const deleteAccount = useAction(async ({ password = '' }: Readonly<Record<string, string>>) => {
    await currentClient().graphql('mutation ($password: String) { deleteAccount(password: $password) }', {
      password: password === '' ? null : password,
    });
    await leave({ deletesUnsent: true });
  });
  return (
    <Form problem={deleteAccount.problem} onSubmit={deleteAccount.run}>
      <p>{texts.deleteAccountHint}</p>
      {viewer?.isPasswordSet !== false && (
        <Field label={texts.password} name="password" type="password" autocomplete="current-password" required />
      )}
      <div class="field line">
        <input id="sure" type="checkbox" required />
        <label for="sure">{texts.confirmDeletion}</label>
      </div>
      <button class="primary dangerous" aria-disabled={deleteAccount.isBusy}>
        {texts.deleteAccount}
      </button>
    </Form>
  );
}
