import { signal } from '@preact/signals';

/** Whether the page is shown for a printer: all of a list is rendered then. */
export const isPrinting = signal(false);

/** Follows the browser, which asks for the printed page right after the event. */
export function followPrinting(): void {
  addEventListener('beforeprint', () => (isPrinting.value = true));
  addEventListener('afterprint', () => (isPrinting.value = false));
  matchMedia('print').addEventListener('change', ({ matches }) => (isPrinting.value = matches));
}
