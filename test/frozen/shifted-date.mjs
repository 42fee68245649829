const RealDate = globalThis.Date;

/**
 * Shifts the wall clock of this process; timers and the monotonic clock stay. Returns a function that undoes it. As a
 * preload of a child process: `node --import file:///…/shifted-date.mjs?offsetMs=-3600000`.
 */
export const shiftDate = (offsetMs) => {
  const now = () => RealDate.now() + offsetMs;
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (_, given, target) => Reflect.construct(RealDate, given.length === 0 ? [now()] : given, target),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
  return () => {
    globalThis.Date = RealDate;
  };
};

const given = new URL(import.meta.url).searchParams.get("offsetMs");
if (given !== null) shiftDate(Number(given));
