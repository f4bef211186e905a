import { Entry } from './entry/entry.tsx';
import { Layout } from './layout/layout.tsx';
import { texts } from './texts.ts';
import { lazy } from './ui/lazy.tsx';
import { route } from './app/router.ts';
import { hasEnded } from './app/last-account.ts';
import { consentPath } from './app/paths.ts';
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
  if (value.state === 'signed out') return <Entry {...value} />;
  return <AccountPage email={value.account.email ?? undefined} />;
}

/** The account, or the sign-in page if its session has ended. Unsent changes stay. */
function AccountPage({ email }: { email: string | undefined }) {
  if (hasEnded.value) return <Entry email={email} />;
  return route.value.path === consentPath ? <Consent /> : <Layout />;
}

const Consent = lazy(() => import('./entry/consent.tsx').then((module) => module.Consent));
