// The page runs this script first.
import './theme.ts';

const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];

/** A proxy may then choose another service. Longer after a reload: the file may be missing everywhere. */
const retryMs = navigation?.type === 'reload' ? 10_000 : 1_000;

/** During an update, the services behind a proxy have files of different builds. */
function retry(target: EventTarget | null): void {
  // Browsers may remember a failed import.
  if (target instanceof HTMLScriptElement && target.type === 'module') location.reload();
  if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') target.replaceWith(target.cloneNode());
}

addEventListener('error', ({ target }) => void setTimeout(retry, retryMs, target), { capture: true });
