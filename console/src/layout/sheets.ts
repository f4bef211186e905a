import { signal } from '@preact/signals';
import { closeOnNavigation } from '../app/router.ts';

/** The open dialog of the keys or of the palette. */
export const openSheet = signal<'keys' | 'commands' | undefined>(undefined);

closeOnNavigation(() => (openSheet.value = undefined));

/** Keeps a sheet that opened since. */
export const closeSheet = (sheet: 'keys' | 'commands'): void => {
  if (openSheet.value === sheet) openSheet.value = undefined;
};
