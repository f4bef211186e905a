import { pending, problem, status } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { endOffer, notice, offers, undoLatest } from '../app/notice.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';

/** Empty while the replica is live. */
export function Connection() {
  const currentStatus = useQuery(() => status);
  const reason = useQuery(() => problem);
  const unsent = useQuery(() => pending).length;
  // Until something fails, the first request is still in progress.
  const isOffline = currentStatus === 'offline' && reason !== undefined;
  return (
    <div class="connection">
      <p role="status" class={currentStatus === 'live' ? undefined : 'shown'}>
        {currentStatus === 'live' ? '' : texts.statuses[isOffline ? 'offline' : 'catching up']}
      </p>
      {isOffline && unsent > 0 && <span>{texts.unsentCount(unsent)}</span>}
      {reason?.code === 'STORAGE_FAILED' && <span role="alert">{texts.storageFailed}</span>}
    </div>
  );
}

export function Notice() {
  const { value } = notice;
  return (
    <div role="status" class={value ? 'notice' : 'notice empty'}>
      <span>
        {value?.text}
        {value?.page && (
          <>
            {` ${texts.to} `}
            <a href={value.page.path} dir="auto">
              {value.page.name}
            </a>
          </>
        )}
      </span>
      {value?.isUndoable && <Button text={texts.undo} onClick={undoLatest} />}
      {value?.more && <Button text={value.more.action} onClick={value.more.run} />}
    </div>
  );
}

export const Offers = () => (
  <div role="status" class="offers">
    {offers.value.map((offer) => {
      const end = (act: () => void) => () => {
        endOffer(offer);
        act();
      };
      return (
        <div key={offer.text} class="notice">
          {offer.text}
          <Button text={offer.action} onClick={end(offer.run)} />
          <Button text={texts.dismiss} onClick={end(offer.dismiss)} />
        </div>
      );
    })}
  </div>
);
