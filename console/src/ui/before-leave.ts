import { useEffect, useRef } from 'preact/hooks';
import { session } from '../app/session.ts';

/** Runs when the component unmounts or the page is hidden, perhaps forever. */
export function useBeforeLeave(onLeave: () => void): void {
  const lastCallback = useRef(onLeave);
  lastCallback.current = onLeave;
  useEffect(() => {
    const call = () => {
      // Another tab may have ended the session.
      if (session.value.state === 'signed in') lastCallback.current();
    };
    document.addEventListener('visibilitychange', call);
    addEventListener('pagehide', call);
    return () => {
      document.removeEventListener('visibilitychange', call);
      removeEventListener('pagehide', call);
      call();
    };
  }, []);
}
