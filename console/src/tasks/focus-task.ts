/** Focuses the row of a task after the next rendering, or the row in the same place if the task has left the page. */
export function focusTask(id: string): void {
  const titles = () => [...document.querySelectorAll<HTMLElement>('main [data-task] .title')];
  const rowOf = (title: Element) => title.closest<HTMLElement>('[data-task]')?.dataset['task'] === id;
  const index = titles().findIndex(rowOf);
  requestAnimationFrame(() => {
    const next = titles();
    (next.find(rowOf) ?? (index < 0 ? undefined : (next[index] ?? next.at(-1))))?.focus();
  });
}
