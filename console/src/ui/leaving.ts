import { useEffect, useRef } from 'preact/hooks';
import { session } from '../app/session.ts';

/** Runs when the component unmounts or the page is hidden, perhaps forever. */
export function useLeaving(leave: () => void): void {
  const last = useRef(leave);
  last.current = leave;
  useEffect(() => {
    const call = () => {
      // Another tab may have ended the session.
      if (session.value.state === 'signed in') last.current();
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
