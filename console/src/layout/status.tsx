import { pending, problem, status } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { endOffer, notice, offers, undoLatest } from '../app/notice.ts';
import { texts } from '../texts.ts';

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
      {value !== undefined && value.steps > 0 && (
        <button type="button" onClick={undoLatest}>
          {texts.undo}
        </button>
      )}
      {value?.more && (
        <button type="button" onClick={value.more.run}>
          {value.more.action}
        </button>
      )}
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
          <button type="button" onClick={end(offer.run)}>
            {offer.action}
          </button>
          <button type="button" onClick={end(offer.dismiss)}>
            {texts.dismiss}
          </button>
        </div>
      );
    })}
  </div>
);
