import { leave, request } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Form, PasswordField, type Values } from '../ui/form.tsx';
import { useViewer } from './use-viewer.ts';

export function Account() {
  const { viewer } = useViewer<{ isPasswordSet: boolean }>('isPasswordSet');
  const deleteAccount = useAction(async ({ password = '' }: Values) => {
    await request('mutation ($password: String) { deleteAccount(password: $password) }', {
      password: password === '' ? null : password,
    });
    await leave({ deletesUnsent: true });
  });
  return (
    <Form problem={deleteAccount.problem} onSubmit={deleteAccount.run}>
      <p>{texts.deleteAccountHint}</p>
      {viewer?.isPasswordSet !== false && (
        <PasswordField label={texts.password} name="password" autocomplete="current-password" />
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
