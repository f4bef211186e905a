import { select, user } from 'taskgate-client';
import { zone } from '../app/days.ts';
import { change, useQuery } from '../app/replica.ts';
import { route } from '../app/router.ts';
import { explicitUtc, isBrowserZone, defaultZone } from '../app/time-zone.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';

/** For accounts that have never chosen a zone. Both buttons store a choice. */
export function ZoneOffer() {
  const timeZone = useQuery(() => select(user, (me) => me?.preferences.timeZone));
  // The settings have their own suggestion.
  const isInSettings = route.value.path === '/settings/notifications';
  if (timeZone !== defaultZone || isBrowserZone(timeZone) || isInSettings) return null;
  const setZone = (zoneName: string) => change('updatePreferences', { input: { timeZone: zoneName } });
  return (
    <div class="banner">
      <p>{texts.zoneOffer(zone.value)}</p>
      <Button text={texts.keepZone} onClick={() => setZone(explicitUtc)} />
      <Button text={texts.useZone(zone.value)} class="primary" onClick={() => setZone(zone.value)} />
    </div>
  );
}
