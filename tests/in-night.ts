/** How long the night's run is: `npm test -- --all` sets 1; `ASSAY_TEST_NIGHT=20` makes what is random 20 times as long. */
function scale(): number {
  const { ASSAY_TEST_NIGHT: text = "0" } = process.env;
  const night = Number(text);
  if (Number.isNaN(night))
    throw new Error(`ASSAY_TEST_NIGHT is "${text}"; it takes a number, 1 for the night's run.`);
  return night;
}

export function isNight(): boolean {
  return scale() > 0;
}

/** How many random cases, operations, cuts or kills a test tries: a few on a push, many at night. */
export function inNight(onPush: number, atNight: number): number {
  return isNight() ? Math.ceil(atNight * scale()) : onPush;
}
