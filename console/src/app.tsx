import { problem } from 'taskgate-client';
import { Entry } from './entry/entry.tsx';
import { Layout } from './layout/layout.tsx';
import { texts } from './texts.ts';
import { lazy } from './ui/lazy.tsx';
import { useQuery } from './app/replica.ts';
import { route } from './app/router.ts';
import { session } from './app/session.ts';

export function App() {
  const { value } = session;
  if (value.state === 'opening') return <p class="opening">{texts.opening}</p>;
  if (value.state === 'failed') {
    return (
      <p class="opening" role="alert">
        {texts.cannotOpen}
      </p>
    );
  }
  if (value.state === 'signed out') return <Entry problem={value.problem} />;
  return <AccountPage email={value.account.email ?? undefined} />;
}

/** The account, or the sign-in page if its session has ended. Unsent changes stay. */
function AccountPage({ email }: { email: string | undefined }) {
  const isEnded = useQuery(() => problem)?.code === 'UNAUTHENTICATED';
  if (isEnded) return <Entry email={email} />;
  return route.value.path === '/oauth/authorize' ? <Consent /> : <Layout />;
}

const Consent = lazy(() => import('./entry/consent.tsx').then((module) => module.Consent));
