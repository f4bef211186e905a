import { select, user } from 'taskgate-client';
import { zone } from '../app/days.ts';
import { change, useQuery } from '../app/replica.ts';
import { route } from '../app/router.ts';
import { chosenUtc, isHere, unchosen } from '../app/time-zone.ts';
import { texts } from '../texts.ts';

/** For accounts that have never chosen a zone. Both buttons store a choice. */
export function ZoneOffer() {
  const timeZone = useQuery(() => select(user, (me) => me?.preferences.timeZone));
  // The settings have their own suggestion.
  const isInSettings = route.value.path === '/settings/notifications';
  if (timeZone !== unchosen || isHere(timeZone) || isInSettings) return null;
  const choose = (wanted: string) => change('updatePreferences', { input: { timeZone: wanted } });
  return (
    <div class="banner">
      <p>{texts.zoneOffer(zone.value)}</p>
      <button type="button" onClick={() => choose(chosenUtc)}>
        {texts.keepZone}
      </button>
      <button type="button" class="primary" onClick={() => choose(zone.value)}>
        {texts.useZone(zone.value)}
      </button>
    </div>
  );
}
