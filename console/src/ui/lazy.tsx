import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';

interface Lazy<Module> {
  readonly module: Module | undefined;
  /** Undefined unless loading has failed. */
  readonly retry: (() => Promise<void>) | undefined;
}

/** If a retry fails too, reloads the page: browsers may remember a failed import, and an update removes old modules. */
export function useModule<Module>(load: () => Promise<Module>): Lazy<Module> {
  const [module, setModule] = useState<Module>();
  const [hasFailed, setFailed] = useState(false);
  const attempt = async (onFailure: () => void) => {
    try {
      const loadedModule = await load();
      setModule(() => loadedModule);
      setFailed(false);
    } catch {
      onFailure();
    }
  };
  useEffect(() => void attempt(() => setFailed(true)), []);
  const reload = () => {
    // Offline, a reload may end at the browser's error page.
    if (navigator.onLine) location.reload();
  };
  return { module, retry: hasFailed ? () => attempt(reload) : undefined };
}

export const LoadFailure = ({ retry }: { retry: () => Promise<void> }) => (
  <div class="empty" role="alert">
    <p>{texts.notLoaded}</p>
    <Button text={texts.tryAgain} onClick={retry} />
  </div>
);

/** A component in a module of its own. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return function Lazy(props: Props) {
    const { module: Component, retry } = useModule(load);
    if (retry) return <LoadFailure retry={retry} />;
    return Component ? <Component {...props} /> : <p class="empty">{texts.opening}</p>;
  };
}
