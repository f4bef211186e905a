import type { texts } from '../texts.ts';
import { storage, store } from './storage.ts';

export type Theme = keyof typeof texts.themes;

const storageKey = 'taskgate:theme';
const { dataset } = document.documentElement;

export const currentTheme = (): Theme => (dataset['theme'] ?? 'system') as Theme;

function apply(theme: string): void {
  dataset['theme'] = theme;
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
    const scheme = meta.dataset['theme'];
    meta.media = theme === 'system' ? `(prefers-color-scheme: ${scheme})` : theme === scheme ? 'all' : 'not all';
  }
}

export function setTheme(theme: Theme): void {
  store(storageKey, theme);
  apply(theme);
}

// Before the first paint: see before-paint.ts.
apply(storage?.getItem(storageKey) ?? 'system');
