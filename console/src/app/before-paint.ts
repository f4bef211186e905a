// The page runs this script first.
import './theme.ts';

/** A proxy has then chosen another service. */
const retryMs = 1000;

/** During an update, the services behind a proxy have files of different builds. */
function retry(target: EventTarget | null): void {
  // Browsers may remember a failed import.
  if (target instanceof HTMLScriptElement && target.type === 'module') location.reload();
  if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') target.replaceWith(target.cloneNode());
}

addEventListener('error', ({ target }) => void setTimeout(retry, retryMs, target), { capture: true });
