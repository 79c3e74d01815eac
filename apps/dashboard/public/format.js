const three = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** Writes a count in full: 12,345. @param {number} value */
export function count(value) {
  return whole.format(value);
}

/** Writes a number with three significant digits and a real minus sign. @param {number} value */
export function number(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const text =
    size >= 1000
      ? whole.format(size)
      : size > 0 && size < 1e-6
        ? size
            .toExponential(1)
            .replace("e-", " × 10⁻")
            .replace(/⁻(\d+)$/, (_, digits) => `⁻${raised(digits)}`)
        : three.format(size);
  return value < 0 ? `−${text}` : text;
}

function raised(digits) {
  return [...digits].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");
}

/** Writes a share as a percentage. @param {number} share */
export function percent(share) {
  return `${number(share * 100)}\u00a0%`;
}

/** Says what a metric counts one value of. @param {string} kind */
export function countedBy(kind) {
  return kind === "ratio" || kind === "quantile" ? "calls" : "users";
}

/** Puts a plus before what grows. @param {number} value @param {(value: number) => string} write */
export function signed(value, write) {
  return value > 0 ? `+${write(value)}` : write(value);
}

/**
 * Writes an interval, open where a bound is missing; null when both are.
 * @param {number | null} low @param {number | null} high @param {(value: number) => string} write
 */
export function interval(low, high, write) {
  if (low === null && high === null) return null;
  if (low === null) return `up to ${signed(high, write)}`;
  if (high === null) return `from ${signed(low, write)}`;
  return `${signed(low, write)} to ${signed(high, write)}`;
}

/** Writes a p-value. @param {number} p */
export function pValue(p) {
  return p < 0.0001 ? "< 0.0001" : p.toPrecision(2);
}

/** Writes an instant in UTC, with the reader's own time on hover. @param {string} text RFC 3339 */
export function instant(text) {
  const at = new Date(text);
  const node = document.createElement("time");
  node.dateTime = text;
  node.title = `${at.toLocaleString()} (your time)`;
  node.textContent = utc(at);
  return node;
}

/** @param {Date} at */
function utc(at) {
  const options = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" };
  return `${at.toLocaleString("en-GB", { ...options, timeZone: "UTC" })} UTC`;
}

/** Says a run's label in words. @param {string} label a UTC day, or manual-<instant> */
export function runName(label) {
  if (!isManual(label)) return `Nightly run of ${label}`;
  const at = new Date(label.slice("manual-".length));
  return `Manual run, ${Number.isNaN(at.getTime()) ? label : utc(at)}`;
}

/** @param {string} label */
export function isManual(label) {
  return label.startsWith("manual-");
}

/**
 * Returns how a metric's values and differences are written, from its definition.
 * @param {{ kind: string, source?: { event: string, field?: string } } | undefined} metric
 * @returns {{ value: (value: number) => string, difference: (value: number) => string }}
 */
export function unitOf(metric) {
  const field = metric?.source?.field;
  if (metric?.kind === "binary" || field === "error") {
    return { value: percent, difference: (value) => `${number(value * 100)}\u00a0points` };
  }
  const write = writerOf(field);
  return { value: write, difference: write };
}

function writerOf(field) {
  if (field === "cost_usd") return (value) => number(value).replace(/^(−?)/, "$1$");
  if (field?.endsWith("_ms")) return (value) => `${number(value)}\u00a0ms`;
  if (field?.endsWith("_tokens")) return (value) => `${number(value)}\u00a0tokens`;
  return number;
}
