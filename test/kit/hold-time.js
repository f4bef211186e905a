// Preloaded into the service. While `globalThis.isTimeHeld`, intervals and long timeouts do nothing: only requests and notifications cause work.

/** Shorter timeouts are parts of a request's work. */
const longMs = 100;

for (const name of ['setTimeout', 'setInterval']) {
  const start = globalThis[name];
  globalThis[name] = (callback, milliseconds, ...values) => {
    const isHeld = () => globalThis.isTimeHeld === true && milliseconds >= longMs;
    return start((...own) => (isHeld() ? undefined : callback(...own)), milliseconds, ...values);
  };
}
