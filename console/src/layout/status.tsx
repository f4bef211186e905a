import { pending, problem, status } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { endOffer, notice, offers, undoLatest } from '../app/notice.ts';
import { texts } from '../texts.ts';

/** Empty while the replica is live. */
export function Connection() {
  const now = useQuery(() => status);
  const why = useQuery(() => problem);
  const unsent = useQuery(() => pending).length;
  // Until something fails, the first request is still in progress.
  const isOffline = now === 'offline' && why !== undefined;
  return (
    <div class="connection">
      <p role="status" class={now === 'live' ? undefined : 'shown'}>
        {now === 'live' ? '' : texts.statuses[isOffline ? 'offline' : 'catching up']}
      </p>
      {isOffline && unsent > 0 && <span>{texts.toBeSent(unsent)}</span>}
      {why?.code === 'STORAGE_FAILED' && <span role="alert">{texts.storageFailed}</span>}
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
        <button type="button" onClick={value.more.act}>
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
          <button type="button" onClick={end(offer.act)}>
            {offer.action}
          </button>
          <button type="button" onClick={end(offer.forget)}>
            {texts.dismiss}
          </button>
        </div>
      );
    })}
  </div>
);
