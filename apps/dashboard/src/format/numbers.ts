const NO_BREAK = "\u00a0";
const MINUS = "\u2212";
/** Between two signs, a line may break. */
const JOINED = "\u2060";

const formats = new Map<string, Intl.NumberFormat>();

/** Returns a cached formatter: creating one takes longer than drawing a table row. */
function formatter(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options);
  // "negative": a value that rounds to zero has no sign.
  const format = formats.get(key) ?? new Intl.NumberFormat("en", { ...options, signDisplay: "negative" });
  formats.set(key, format);
  return format;
}

/** Adds up values. */
export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Formats a number with significant digits and grouping: 1234.5 → "1,235". */
export function number(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const options: Intl.NumberFormatOptions =
    size >= 10 ** digits ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: digits };
  return formatter(options).format(value).replace("-", MINUS);
}

/** Formats a count: 12345 → "12,345". */
export function count(value: number): string {
  return formatter({ maximumFractionDigits: 0 }).format(value).replace("-", MINUS);
}

/** Formats a count with its noun: (1, "user") → "1 user", (2, "user") → "2 users". */
export function counted(value: number, singular: string, plural = `${singular}s`): string {
  return `${count(value)}${NO_BREAK}${value === 1 ? singular : plural}`;
}

/** Formats a share as a percentage: 0.1234 → "12.3%". */
export function percent(share: number, digits = 3): string {
  return `${number(share * 100, digits)}%`;
}

/** Formats a change with its sign: 0.12 → "+12%". */
export function signedPercent(share: number, digits = 3): string {
  return signed(share, (value) => percent(value, digits));
}

/** Formats a value with its sign; zero has none. */
export function signed(value: number, write: (value: number) => string): string {
  const written = write(value);
  return value > 0 && /[1-9]/.test(written)
    ? `+${/^\p{Sc}/u.test(written) ? JOINED : ""}${written}`
    : written;
}

/** Writes a currency's sign before the amount, and a minus before both. */
export function money(value: number, currency: string, amount: string): string {
  return `${value < 0 ? `${MINUS}${JOINED}` : ""}${currency}${amount}`;
}

/** Thresholds of p-values: significance, a warning, the gate of the traffic split. */
const P_LIMITS = [0.05, 0.01, 0.001];
const MOST_P_DIGITS = 8;

/** Formats a p-value. A floor (the smallest value that the permutations can give) gets "≤". */
export function pValue(p: number, isFloor = false): string {
  if (p < 0.0001) return "< 0.0001";
  let digits = p < 0.001 ? 4 : 3;
  // A value next to a limit must not be rounded onto it: 0.0496 is significant, "0.050" is not.
  while (digits < MOST_P_DIGITS && P_LIMITS.includes(Number(p.toFixed(digits))) && !P_LIMITS.includes(p))
    digits += 1;
  return `${isFloor ? "≤ " : ""}${p.toFixed(digits)}`;
}

/** Formats a p-value with its sign: "p = 0.003", "p < 0.0001". */
export function pEquals(p: number, isFloor = false): string {
  const text = pValue(p, isFloor);
  return /^[<≤]/.test(text) ? `p ${text}` : `p = ${text}`;
}

/** Formats a difference of two shares in percentage points: 0.02 → "2 points". */
export function points(share: number): string {
  const text = number(share * 100);
  return `${text}${NO_BREAK}${/^\u2212?1$/.test(text) ? "point" : "points"}`;
}

/** Formats the bounds of an interval; an open end as "−∞" or "∞". Null: there is no interval. */
export function interval(
  low: number | null,
  high: number | null,
  write: (value: number) => string,
): string | null {
  if (low === null && high === null) return null;
  return `${low === null ? `${MINUS}∞` : write(low)} to ${high === null ? "∞" : write(high)}`;
}

/** Formats US dollars with enough digits for the price of one call: 0.00123 → "$0.00123", 0.8 → "$0.80". */
export function dollars(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 1 ? 2 : undefined;
  const text = formatter({
    ...(digits === undefined
      ? { maximumSignificantDigits: 3 }
      : { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  }).format(size);
  return money(value, "$", `${text}${/\.\d$/.test(text) ? "0" : ""}`);
}

/** Formats milliseconds: 812 → "812 ms", 12345 → "12.3 s". */
export function milliseconds(value: number): string {
  return Math.abs(value) >= 10_000 ? `${number(value / 1000)}${NO_BREAK}s` : `${number(value)}${NO_BREAK}ms`;
}
