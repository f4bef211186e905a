import { useState } from 'preact/hooks';
import { encode } from 'uqr';
import { request } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Field, Form, Problem, Submit, type Values } from '../ui/form.tsx';

interface Secret {
  readonly secret: string;
  readonly uri: string;
}

const begin = 'mutation { started: startTotp { secret uri } }';
const confirm = 'mutation ($code: String!) { made: confirmTotp(code: $code) { codes: recoveryCodes } }';

/** TOTP. */
export function Authenticator({ isOn, onChange }: { isOn: boolean; onChange: () => unknown }) {
  const [secret, setSecret] = useState<Secret>();
  const [codes, setCodes] = useState<readonly string[]>();
  const start = useAction(async () => {
    setSecret((await request<{ started: Secret }>(begin)).started);
  });
  const finish = useAction(async ({ code = '' }: Values) => {
    const { made } = await request<{ made: { codes: readonly string[] } }>(confirm, { code: code.trim() });
    setCodes(made.codes);
    setSecret(undefined);
    await onChange();
  });
  const end = useAction(async ({ code = '' }: Values) => {
    await request('mutation ($code: String!) { disableTotp(code: $code) { id } }', { code: code.trim() });
    setCodes(undefined);
    await onChange();
  });
  return (
    <section class="part" aria-label={texts.authenticator}>
      <h3>{texts.authenticator}</h3>
      <p class="hint">{isOn ? texts.authenticatorOn : texts.authenticatorOff}</p>
      {codes && <RecoveryCodes codes={codes} />}
      {!isOn && !secret && (
        <Button text={texts.setUpAuthenticator} aria-disabled={start.isBusy} onClick={() => start.run()} />
      )}
      {secret && (
        <Form problem={finish.problem} onSubmit={finish.run}>
          <p>{texts.scan}</p>
          <QrCode text={secret.uri} />
          <p class="hint">
            {texts.orType} <code>{secret.secret}</code>
          </p>
          <Field label={texts.code} name="code" inputMode="numeric" autocomplete="one-time-code" autofocus required />
          <Submit isBusy={finish.isBusy}>{texts.turnOn}</Submit>
        </Form>
      )}
      {isOn && (
        <Form problem={end.problem} onSubmit={end.run}>
          <Field label={texts.code} name="code" autocomplete="one-time-code" hint={texts.factorHint} required />
          <button aria-disabled={end.isBusy}>{texts.turnOff}</button>
        </Form>
      )}
      <Problem>{start.problem}</Problem>
    </section>
  );
}

const RecoveryCodes = ({ codes }: { codes: readonly string[] }) => (
  <div role="status" class="shown-once">
    <p>{texts.recoveryCodes}</p>
    <ul>
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
  </div>
);

/** Black on white in dark mode too. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 2 });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" shape-rendering="crispEdges">
      <title>{texts.qrCode}</title>
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  );
}
