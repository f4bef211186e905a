import { status } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { texts } from '../texts.ts';
import { Empty } from './empty.tsx';

/** For unknown addresses, and entities that the account cannot access. */
export function Missing() {
  const isLoading = useQuery(() => status) === 'catching up';
  if (isLoading) return <p class="empty">{texts.opening}</p>;
  return (
    <>
      <h1>{texts.missing}</h1>
      <Empty text={texts.missingHint} goTo="today" />
    </>
  );
}
