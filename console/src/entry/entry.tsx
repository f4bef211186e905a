import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { wantedAddress } from '../app/paths.ts';
import { route } from '../app/router.ts';
import { texts } from '../texts.ts';
import { Forgot } from './forgot.tsx';
import { SignIn } from './sign-in.tsx';
import { SignUp } from './sign-up.tsx';

/**
 * What is shown to anyone who is not signed in.
 * @param email of the account whose session has ended
 * @param problem code of the error that an external provider's sign-in ended with
 */
export function Entry({ email, problem }: { email?: string | undefined; problem?: string | undefined }) {
  const { path } = route.value;
  if (path === '/signup') return <SignUp />;
  if (path === '/forgot') return <Forgot />;
  return <SignIn email={email} problem={problem} />;
}

/** The address of a page of the entry, from which the sign-in leads to the same address as from here. */
export const entryAddress = (page: string): string => `${page}?returnTo=${encodeURIComponent(wantedAddress())}`;

/** A page of the entry: a heading and a form, in the middle. */
export function EntryPage({ title, children }: { title: string; children: ComponentChildren }) {
  // In place of what the page of an account whose session has ended was called.
  useEffect(() => void (document.title = `${title} · ${texts.name}`), [title]);
  return (
    <main class="entry">
      <p class="brand">{texts.name}</p>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
