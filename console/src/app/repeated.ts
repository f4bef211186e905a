import { useEffect } from 'preact/hooks';
import { status } from 'taskgate-client';
import { useQuery } from './replica.ts';

/** Milliseconds after which a page that is looked at asks again. */
const intervalMs = 5000;

/** Asks for what no batch of the replica brings, again and again where the service can be reached. */
export function useRepeated(load: () => Promise<void>, dependencies: readonly unknown[] = []): void {
  const isLive = useQuery(() => status) === 'live';
  useEffect(() => {
    if (!isLive) return;
    const again = () => {
      if (document.visibilityState === 'visible') void load().catch(() => undefined);
    };
    again();
    const timer = setInterval(again, intervalMs);
    document.addEventListener('visibilitychange', again);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', again);
    };
  }, [isLive, ...dependencies]);
}
