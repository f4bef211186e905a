import { useEffect, useState } from 'preact/hooks';
import { request } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Check, Field, Form, Problem, Submit, type Values } from '../ui/form.tsx';
import { ShownOnce } from './shown-once.tsx';
import { SpaceField } from '../ui/spaces.tsx';
import { useViewer } from './use-viewer.ts';
import { attemptFields, type Webhook, WebhookRow } from './webhook.tsx';

const create = 'mutation ($input: CreateWebhookInput!) { made: createWebhook(input: $input) { secret } }';

export function Webhooks() {
  const { viewer, problem, load } = useViewer<{ webhooks: readonly Webhook[] }>(
    `webhooks { id url state kinds spaceIds client reason deliveredAt attempts { ${attemptFields} } }`,
  );
  const [secret, setSecret] = useState<string>();
  useEffect(() => {
    // Messages are sent while the user is in another window.
    const reload = () => void load();
    addEventListener('focus', reload);
    return () => removeEventListener('focus', reload);
  }, []);
  const show = async (made: string) => {
    setSecret(made);
    await load();
  };
  return (
    <>
      <p class="hint">{texts.webhooksHint}</p>
      <ShownOnce text={texts.secretMade} secret={secret} />
      {viewer?.webhooks.length === 0 && <p>{texts.noWebhooks}</p>}
      <ul class="rows" aria-label={texts.webhooks}>
        {viewer?.webhooks.map((webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook} onChange={load} onSecret={show} />
        ))}
      </ul>
      <Problem>{problem}</Problem>
      <NewWebhook onSecret={show} />
    </>
  );
}

function NewWebhook({ onSecret }: { onSecret: (secret: string) => Promise<void> }) {
  const [kinds, setKinds] = useState(Object.keys(texts.webhookKinds));
  const { run, isBusy, problem, field } = useAction(async ({ url, space }: Values, form: HTMLFormElement) => {
    const input = { url, kinds, ...(space && { spaceIds: [space] }) };
    const { made } = await request<{ made: { secret: string } }>(create, { input });
    form.reset();
    await onSecret(made.secret);
  });
  const isInvalid = field === 'url';
  return (
    <Form problem={isInvalid || field === 'kinds' ? undefined : problem} onSubmit={run} class="part">
      <h3>{texts.newWebhook}</h3>
      <Field
        label={texts.url}
        name="url"
        inputMode="url"
        autocomplete="off"
        spellcheck={false}
        required
        aria-invalid={isInvalid}
        hint={isInvalid ? problem : texts.urlHint}
      />
      <SpaceField label={texts.reaches} />
      <fieldset class="field" aria-label={texts.sentKinds}>
        <p class="hint">{texts.sentKinds}</p>
        {Object.entries(texts.webhookKinds).map(([kind, label]) => (
          <Check
            key={kind}
            label={label}
            isOn={kinds.includes(kind)}
            onChange={(isOn) => setKinds(isOn ? [...kinds, kind] : kinds.filter((each) => each !== kind))}
          />
        ))}
        <Problem>{field === 'kinds' && texts.noKinds}</Problem>
      </fieldset>
      <Submit isBusy={isBusy}>{texts.createWebhook}</Submit>
    </Form>
  );
}
