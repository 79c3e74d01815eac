const NO_BREAK = "\u00a0";
const MINUS = "\u2212";

const formats = new Map<string, Intl.NumberFormat>();

/** Returns the formatter with these options, made once: making one takes longer than drawing a row of a table. */
function formatter(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options);
  // "negative": what rounds to zero has no sign.
  const format = formats.get(key) ?? new Intl.NumberFormat("en", { ...options, signDisplay: "negative" });
  formats.set(key, format);
  return format;
}

/** Writes a number with so many significant digits, with grouping: 1234.5 → "1,235". */
export function number(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const options: Intl.NumberFormatOptions =
    size >= 10 ** digits ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: digits };
  return formatter(options).format(value).replace("-", MINUS);
}

/** Writes a whole count: 12345 → "12,345". */
export function count(value: number): string {
  return formatter({ maximumFractionDigits: 0 }).format(value).replace("-", MINUS);
}

/** Writes a count with its noun: (1, "user") → "1 user", (2, "user") → "2 users". */
export function counted(value: number, singular: string, plural = `${singular}s`): string {
  return `${count(value)}${NO_BREAK}${value === 1 ? singular : plural}`;
}

/** Writes a share as per cent: 0.1234 → "12.3 %". */
export function percent(share: number, digits = 3): string {
  return `${number(share * 100, digits)}${NO_BREAK}%`;
}

/** Writes a change with its sign: 0.12 → "+12 %". */
export function signedPercent(share: number, digits = 3): string {
  return signed(share, (value) => percent(value, digits));
}

/** Writes a value with its sign in front, zero without one. */
export function signed(value: number, write: (value: number) => string): string {
  const written = write(value);
  return value > 0 && /[1-9]/.test(written) ? `+${written}` : written;
}

/** Writes a p-value; a floor (fewest that the permutations allow) as "≤". */
export function pValue(p: number, isFloor = false): string {
  if (p < 0.0001) return "< 0.0001";
  return `${isFloor ? "≤ " : ""}${p < 0.001 ? p.toFixed(4) : p.toFixed(3)}`;
}

/** Writes the bounds of an interval; an open end as "−∞" or "∞". Null: there is no interval. */
export function interval(
  low: number | null,
  high: number | null,
  write: (value: number) => string,
): string | null {
  if (low === null && high === null) return null;
  return `${low === null ? `${MINUS}∞` : write(low)} to ${high === null ? "∞" : write(high)}`;
}

/** Writes US dollars with enough digits for the price of one call: 0.00123 → "$0.00123". */
export function dollars(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 1 ? 2 : undefined;
  const text = formatter({
    ...(digits === undefined
      ? { maximumSignificantDigits: 3 }
      : { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  }).format(size);
  return `${value < 0 ? MINUS : ""}$${text}`;
}

/** Writes milliseconds: 812 → "812 ms", 12345 → "12.3 s". */
export function milliseconds(value: number): string {
  return Math.abs(value) >= 10_000 ? `${number(value / 1000)}${NO_BREAK}s` : `${number(value)}${NO_BREAK}ms`;
}
