import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { wantedAddress } from '../app/paths.ts';
import { texts } from '../texts.ts';

/** Returns the address of an entry page. After the sign-in there, the console opens the address that it would open from here. */
export const entryAddress = (page: string): string => `${page}?returnTo=${encodeURIComponent(wantedAddress())}`;

/** The layout of the pages for signed-out users. */
export function EntryPage({ title, children }: { title: string; children: ComponentChildren }) {
  // The title may still be from the ended session.
  useEffect(() => void (document.title = `${title} · ${texts.name}`), [title]);
  return (
    <main class="entry">
      <p class="brand">{texts.name}</p>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
