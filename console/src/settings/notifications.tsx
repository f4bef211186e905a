import { useEffect, useState } from 'preact/hooks';
import { type Mutations, user } from 'taskgate-client';
import { shownMoment, today, zone } from '../app/days.ts';
import { testMailSent } from '../app/mails.ts';
import { change, useQuery } from '../app/replica.ts';
import { theClient } from '../app/session.ts';
import { chosenUtc, isHere, unchosen } from '../app/time-zone.ts';
import { notify } from '../app/notice.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Check, Choice } from '../ui/form.tsx';
import { SavedField } from '../ui/saved-field.tsx';

type Preferences = Mutations['updatePreferences']['input'];

const zones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
const put = (input: Preferences) => change('updatePreferences', { input });

export function Notifications() {
  const preferences = useQuery(() => user)?.preferences;
  const test = useAction(async () => {
    await theClient().graphql('mutation { sendTestMail }');
    notify(testMailSent);
  });
  if (!preferences) return null;
  const { timeZone } = preferences;
  const shown = timeZone === chosenUtc ? unchosen : timeZone;
  const known = zones.includes(shown) ? zones : [shown, ...zones];
  return (
    <>
      <Check
        label={texts.emailEnabled}
        isOn={preferences.emailEnabled}
        onChange={(emailEnabled) => put({ emailEnabled })}
      />
      <Check
        label={texts.taskReminders}
        isOn={preferences.taskRemainders}
        onChange={(taskRemainders) => put({ taskRemainders })}
      />
      <Check
        label={texts.automaticReminder}
        isOn={preferences.automaticRemainder}
        onChange={(automaticRemainder) => put({ automaticRemainder })}
      />
      <SavedField
        label={texts.reminderBefore}
        type="number"
        min={0}
        max={40_320}
        required
        value={String(preferences.reminderBefore)}
        onSave={(value) => put({ reminderBefore: Number(value) })}
      />
      <Check
        label={texts.dailyDigest}
        isOn={preferences.dailyDigest}
        onChange={(dailyDigest) => put({ dailyDigest })}
      />
      <SavedField
        label={texts.digestTime}
        type="time"
        value={preferences.digestTime ?? ''}
        onSave={(value) => put({ digestTime: value === '' ? null : value })}
      />
      <Choice
        label={texts.timeZone}
        value={shown}
        options={known.map((each) => ({ value: each, text: each.replaceAll('_', ' ') }))}
        onChoose={(chosen) => put({ timeZone: chosen === unchosen ? chosenUtc : chosen })}
      />
      {!isHere(timeZone) && (
        <p class="hint">
          {texts.otherZone(zone.value)}{' '}
          <button type="button" onClick={() => put({ timeZone: zone.value })}>
            {texts.useZone(zone.value)}
          </button>
        </p>
      )}
      <button type="button" aria-disabled={test.isBusy} onClick={() => test.run()}>
        {texts.sendTestMail}
      </button>
      <p role="alert" class="problem">
        {test.problem}
      </p>
      <NextDigest of={JSON.stringify([preferences, today.value])} />
    </>
  );
}

interface Digest {
  readonly at: string | null;
  readonly subject: string;
  readonly text: string;
}

/** @param of the state that the digest depends on */
function NextDigest({ of }: { of: string }) {
  const [digest, setDigest] = useState<Digest>();
  useEffect(() => {
    theClient()
      .graphql<{ digest: Digest }>('{ digest { at subject text } }')
      .then((answer) => setDigest(answer.digest))
      .catch(() => undefined);
  }, [of]);
  if (!digest) return null;
  return (
    <section class="part" aria-label={texts.nextDigest}>
      <h3>{texts.nextDigest}</h3>
      <p class="hint">{digest.at === null ? texts.noDigest : shownMoment(digest.at)}</p>
      <p>
        <strong>{digest.subject}</strong>
      </p>
      <pre dir="auto">{digest.text}</pre>
    </section>
  );
}
