/*
 * Loaded before a process of a test: its clock is CLOCK_SHIFT_MS ahead of the machine's. Timers are not affected, as with
 * a real clock that is wrong.
 */
const shiftMs = Number(process.env['CLOCK_SHIFT_MS'] ?? 0);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, parts, newTarget) =>
    Reflect.construct(target, parts.length === 0 ? [target.now() + shiftMs] : parts, newTarget),
  apply: (target) => new target(target.now() + shiftMs).toString(),
  get: (target, name) =>
    name === 'now' ? () => target.now() + shiftMs : Reflect.get(target, name, target),
});
