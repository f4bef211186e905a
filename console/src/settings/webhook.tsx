import { formatMoment } from '../app/days.ts';
import { request } from '../app/session.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { ask, askToConfirm } from '../ui/dialog.tsx';
import { Problem } from '../ui/form.tsx';
import { useSpaceNames } from '../ui/spaces.tsx';

interface Attempt {
  readonly type: string;
  readonly at: string;
  readonly ms: number;
  readonly changes: number;
  readonly status: number | null;
  readonly error: string | null;
}

export const attemptFields = 'type at ms changes status error';

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly state: 'ACTIVE' | 'FAILING' | 'PAUSED' | 'DISABLED';
  readonly kinds: readonly string[];
  readonly spaceIds: readonly string[] | null;
  readonly client: string | null;
  readonly reason: string | null;
  readonly deliveredAt: string | null;
  readonly attempts: readonly Attempt[];
}

const update = 'mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { id } }';
const send = 'mutation ($id: ID!) { testWebhook(id: $id) { at } }';
const rotate = 'mutation ($id: ID!) { made: rotateWebhookSecret(id: $id) { secret } }';
const remove = 'mutation ($id: ID!) { deleteWebhook(id: $id) }';

/** The position of a webhook that continues after a gap. Clocks differ by less. */
const aMinuteAgo = () => new Date(Date.now() - 60_000).toISOString();

interface RowProps {
  webhook: Webhook;
  onChange: () => Promise<void>;
  onSecret: (secret: string) => Promise<void>;
}

export function WebhookRow({ webhook, onChange, onSecret }: RowProps) {
  const { id, url, state, reason, attempts } = webhook;
  const set = (input: object) => request(update, { id, input }).then(onChange);
  const test = useAction(() => request(send, { id }).then(onChange));
  const isOff = state === 'PAUSED' || state === 'DISABLED';
  const pause = useAction(() => set({ enabled: false }));
  const resume = useAction(() => set({ enabled: true }));
  const continueLater = useAction(() => set({ enabled: true, since: aMinuteAgo() }));
  const isLate = isOff && resume.code === 'CURSOR_EXPIRED';
  const change = isOff ? resume : pause;
  const askForSecret = () =>
    ask({
      ...{ title: texts.newSecret, text: texts.newSecretHint(url), action: texts.newSecret },
      onConfirm: async () => {
        const { made } = await request<{ made: { secret: string } }>(rotate, { id });
        await onSecret(made.secret);
      },
    });
  const askToDelete = () =>
    askToConfirm(texts.delete, texts.deleteWebhookHint(url), () => request(remove, { id }).then(onChange));
  return (
    <li class="webhook">
      <p class="url" title={url}>
        {url}
      </p>
      <p class="hint">
        <span class={`state ${state.toLowerCase()}`}>{texts.webhookStates[state]}</span> {useFacts(webhook)}
      </p>
      {reason !== null && <p class="problem">{reason}</p>}
      <div class="buttons">
        <Button text={texts.test} aria-disabled={test.isBusy} onClick={() => test.run()} />
        <Button text={isOff ? texts.resume : texts.pause} aria-disabled={change.isBusy} onClick={() => change.run()} />
        <Button text={texts.newSecret} onClick={askForSecret} />
        <Button text={texts.delete} class="dangerous" onClick={askToDelete} />
      </div>
      <Problem>
        {continueLater.problem ?? (isLate ? texts.resumeAfterGapHint : (test.problem ?? change.problem))}
      </Problem>
      {isLate && (
        <Button text={texts.resumeAfterGap} aria-disabled={continueLater.isBusy} onClick={() => continueLater.run()} />
      )}
      <Attempts attempts={attempts} />
    </li>
  );
}

function useFacts({ kinds, spaceIds, client, deliveredAt }: Webhook): string {
  const names = useSpaceNames();
  const facts = [
    kinds.map((kind) => texts.webhookKinds[kind]).join(', '),
    spaceIds?.map((id) => names[id] ?? texts.formerSpace).join(', ') ?? texts.everything,
    client !== null && texts.madeBy(client),
    deliveredAt === null ? texts.neverDelivered : texts.deliveredAt(formatMoment(deliveredAt)),
  ];
  return facts.filter(Boolean).join(' · ');
}

const Attempts = ({ attempts }: { attempts: readonly Attempt[] }) => (
  <div class="attempts">
    <p class="hint">{attempts.length === 0 ? texts.noAttempts : texts.attempts}</p>
    {/* It scrolls, also by the keyboard. */}
    <ul aria-label={texts.attempts} tabIndex={attempts.length === 0 ? undefined : 0}>
      {attempts.map(({ at, type, changes, status, error, ms }, index) => (
        <li key={`${at} ${index}`}>
          <time dateTime={at}>{formatMoment(at)}</time>
          <span>{type === 'ping' ? texts.testMessage : texts.sentChanges(changes)}</span>
          {error === null ? <span>{texts.taken(status, ms)}</span> : <span class="problem">{error}</span>}
        </li>
      ))}
    </ul>
  </div>
);
