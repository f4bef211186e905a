import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';

interface Lazy<Module> {
  /** The module; undefined until it is loaded. */
  readonly module: Module | undefined;
  /** Loads again; undefined unless loading has failed. */
  readonly retry: (() => Promise<void>) | undefined;
}

/**
 * Loads a module when the component is mounted. If a retry fails too, the page is reloaded: browsers may remember a failed import, and after
 * an update the service no longer has the module.
 */
export function useModule<Module>(load: () => Promise<Module>): Lazy<Module> {
  const [module, setModule] = useState<Module>();
  const [hasFailed, setFailed] = useState(false);
  const attempt = async (onFailure: () => void) => {
    try {
      const loaded = await load();
      setModule(() => loaded);
      setFailed(false);
    } catch {
      onFailure();
    }
  };
  useEffect(() => void attempt(() => setFailed(true)), []);
  const reload = () => {
    // Without a network and a service worker, the browser would show its own error page.
    if (navigator.onLine) location.reload();
  };
  return { module, retry: hasFailed ? () => attempt(reload) : undefined };
}

/** Replaces a page whose module could not be loaded. */
export const NotLoaded = ({ retry }: { retry: () => Promise<void> }) => (
  <div class="empty" role="alert">
    <p>{texts.notLoaded}</p>
    <button type="button" onClick={retry}>
      {texts.tryAgain}
    </button>
  </div>
);
