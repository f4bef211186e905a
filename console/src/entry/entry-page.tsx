import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { wantedAddress } from '../app/paths.ts';
import { texts } from '../texts.ts';

/** The address of an entry page. Its sign-in leads to the same address as the one here. */
export const entryAddress = (page: string): string => `${page}?returnTo=${encodeURIComponent(wantedAddress())}`;

/** The frame of the pages of users who are not signed in: a heading and a form. */
export function EntryPage({ title, children }: { title: string; children: ComponentChildren }) {
  // Replaces the title of a page whose session has ended.
  useEffect(() => void (document.title = `${title} · ${texts.name}`), [title]);
  return (
    <main class="entry">
      <p class="brand">{texts.name}</p>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
