import { useEffect, useState } from 'preact/hooks';
import { type Mutations, status, user } from 'taskgate-client';
import { formatMoment, today, zone } from '../app/days.ts';
import { testMailText } from '../app/mails.ts';
import { change, useQuery } from '../app/replica.ts';
import { request } from '../app/session.ts';
import { explicitUtc, isBrowserZone, defaultZone } from '../app/time-zone.ts';
import { notify } from '../app/notice.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Check, Choice, Problem } from '../ui/form.tsx';
import { SavedField } from '../ui/saved-field.tsx';

type Preferences = Mutations['updatePreferences']['input'];
type Switch = 'emailEnabled' | 'taskRemainders' | 'automaticRemainder' | 'dailyDigest';

const zones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
const update = (input: Preferences) => change('updatePreferences', { input });

export function Notifications() {
  const preferences = useQuery(() => user)?.preferences;
  const isLive = useQuery(() => status) === 'live';
  const test = useAction(async () => {
    await request('mutation { sendTestMail }');
    notify(testMailText);
  });
  if (!preferences) return null;
  const { timeZone } = preferences;
  const selectedZone = timeZone === explicitUtc ? defaultZone : timeZone;
  const zoneOptions = zones.includes(selectedZone) ? zones : [selectedZone, ...zones];
  const check = (name: Switch, label: string) => (
    <Check label={label} isOn={preferences[name]} onChange={(isOn) => update({ [name]: isOn })} />
  );
  return (
    <>
      {check('emailEnabled', texts.emailEnabled)}
      <Choice
        label={texts.activityMails}
        value={preferences.activityMails}
        texts={texts.activityMailChoices}
        onChoose={(activityMails) => update({ activityMails })}
      />
      {check('taskRemainders', texts.taskReminders)}
      {check('automaticRemainder', texts.automaticReminder)}
      <SavedField
        label={texts.reminderBefore}
        type="number"
        min={0}
        max={40_320}
        required
        value={String(preferences.reminderBefore)}
        onSave={(value) => update({ reminderBefore: Number(value) })}
      />
      {check('dailyDigest', texts.dailyDigest)}
      <SavedField
        label={texts.digestTime}
        type="time"
        value={preferences.digestTime ?? ''}
        onSave={(value) => update({ digestTime: value === '' ? null : value })}
      />
      <Choice
        label={texts.timeZone}
        value={selectedZone}
        texts={Object.fromEntries(zoneOptions.map((each) => [each, each.replaceAll('_', ' ')]))}
        onChoose={(chosen) => update({ timeZone: chosen === defaultZone ? explicitUtc : chosen })}
      />
      {!isBrowserZone(timeZone) && (
        <p class="hint">
          {texts.otherZone(zone.value)}{' '}
          <Button text={texts.useZone(zone.value)} onClick={() => update({ timeZone: zone.value })} />
        </p>
      )}
      <Button text={texts.sendTestMail} aria-disabled={test.isBusy} onClick={() => test.run()} />
      <Problem>{test.problem}</Problem>
      <NextDigest revision={JSON.stringify([preferences, today.value, isLive])} />
    </>
  );
}

interface Digest {
  readonly at: string | null;
  readonly subject: string;
  readonly text: string;
}

/** @param revision the state that the digest depends on */
function NextDigest({ revision }: { revision: string }) {
  const [digest, setDigest] = useState<Digest>();
  useEffect(() => {
    request<{ digest: Digest }>('{ digest { at subject text } }')
      .then((data) => setDigest(data.digest))
      .catch(() => undefined);
  }, [revision]);
  if (!digest) return null;
  return (
    <section class="part" aria-label={texts.nextDigest}>
      <h3>{texts.nextDigest}</h3>
      <p class="hint">{digest.at === null ? texts.noDigest : formatMoment(digest.at)}</p>
      <p>
        <strong>{digest.subject}</strong>
      </p>
      <pre dir="auto">{digest.text}</pre>
    </section>
  );
}
