/** Time without a key that ends typing, in milliseconds. */
const pauseMs = 1000;

/**
 * Runs `work` as soon as no key has been pressed for a second. A field that appears while a person types elsewhere must
 * not receive the rest: a password field would send it.
 * @returns cancels it
 */
export function afterTyping(work: () => void): () => void {
  let timer = 0;
  const wait = () => {
    clearTimeout(timer);
    timer = window.setTimeout(end, pauseMs);
  };
  const cancel = () => {
    clearTimeout(timer);
    removeEventListener('keydown', wait, true);
  };
  function end() {
    cancel();
    work();
  }
  addEventListener('keydown', wait, true);
  wait();
  return cancel;
}
