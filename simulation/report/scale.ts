/** Maps values to positions in a plot. */
export interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

/** Creates a linear scale from `from`–`to` onto `start`–`end`, with about `count` ticks at round values. */
export function linearScale(
  [from, to]: readonly [number, number],
  [start, end]: readonly [number, number],
  count = 6,
): Scale {
  const step = roundStep((to - from) / count);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return {
    at: (value) => start + ((value - from) / (to - from)) * (end - start),
    ticks: Array.from({ length: last - first + 1 }, (_, k) => (first + k) * step),
  };
}

function roundStep(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width));
  const factor = [1, 2, 5, 10].find((round) => round * power >= width * (1 - 1e-9)) ?? 10;
  return factor * power;
}
