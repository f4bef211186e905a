// Preloaded into the service: SIGUSR2 moves its clock a day forward, SIGWINCH a day back. Timers and performance.now() are unaffected, as if an
// operator had set the clock.
const dayMs = 24 * 60 * 60 * 1000;
const RightDate = globalThis.Date;
const rightNow = RightDate.now;
let offsetMs = 0;

RightDate.now = () => rightNow() + offsetMs;
globalThis.Date = new Proxy(RightDate, {
  apply: (target) => new target(target.now()).toString(),
  construct: (target, given, made) => Reflect.construct(target, given.length > 0 ? given : [target.now()], made),
});

const jump = (milliseconds) => () => {
  offsetMs += milliseconds;
  process.stderr.write(`the clock is off by ${offsetMs / dayMs} days\n`);
};
process.on('SIGUSR2', jump(dayMs));
process.on('SIGWINCH', jump(-dayMs));
