import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { addressAfterSignIn } from '../app/paths.ts';
import { texts } from '../texts.ts';

/** The sign-in there opens the same address as the one here. */
export const entryAddress = (page: string): string => `${page}?returnTo=${encodeURIComponent(addressAfterSignIn())}`;

export function EntryPage({ title, children }: { title: string; children: ComponentChildren }) {
  // Before the page is shown: the title may be from the ended session.
  useLayoutEffect(() => void (document.title = `${title} · ${texts.name}`), [title]);
  return (
    <main class="entry">
      <p class="brand">{texts.name}</p>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
