function elementsAround(element: Element | null): readonly Element[] {
  return element ? [element, ...elementsAround(element.parentElement)] : [];
}

/** Returns the title of the row next to a removed row of a task. */
function neighbourOf(removed: Element | undefined, records: readonly MutationRecord[]): HTMLElement | null | undefined {
  const record = records.find(({ removedNodes }) => removed && [...removedNodes].includes(removed));
  const row = record?.nextSibling ?? record?.previousSibling;
  return row instanceof Element ? row.querySelector<HTMLElement>('.title') : undefined;
}

/**
 * If the focused element leaves the page, a row of the same list gets the focus, or else the closest part of the page. Keys and screen readers
 * would start at the top of the page.
 */
export function followFocus(): void {
  let around: readonly Element[] = [];
  addEventListener('focusin', ({ target }) => {
    around = elementsAround(target instanceof Element ? target : null);
  });
  const observer = new MutationObserver((records) => {
    if (around[0]?.isConnected !== false || document.activeElement !== document.body) return;
    const row = around.findLast((each) => !each.isConnected && each.matches('[data-task]'));
    const part = around.find((each): each is HTMLElement => each.isConnected && each.matches('[tabindex]'));
    const next = neighbourOf(row, records) ?? part ?? document.querySelector('main');
    next?.focus({ preventScroll: true });
  });
  observer.observe(document, { childList: true, subtree: true });
}
