const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](?!24)\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;
/** `2026-01-31T12:00:00.000Z`, the form that all Assay client libraries send. */
const UTC_MILLIS_LENGTH = 24;
const DAY_LENGTH = 10;
const DASH = 0x2d;
const DOT = 0x2e;
const COLON = 0x3a;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;

/**
 * Converts RFC 3339 or epoch milliseconds (fractions are dropped) into epoch milliseconds. Null if it is neither, or the day or
 * time does not exist. The usual form is parsed digit by digit, because this runs for every row of every batch.
 */
export function parseTimestamp(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? Math.trunc(value) : null;
  if (typeof value !== "string") return null;
  return parseUtcMillis(value) ?? parseAnyForm(value);
}

function parseAnyForm(text: string): number | null {
  const match = RFC3339.exec(text);
  if (match === null || !isCalendarDay(Number(match[1]), Number(match[2]), Number(match[3]))) return null;
  const at = Date.parse(text.replace(" ", "T").toUpperCase());
  return Number.isNaN(at) ? null : at;
}

/** Null for every other form, and for years before 1000, which `Date.UTC` could misread. */
function parseUtcMillis(text: string): number | null {
  if (text.length !== UTC_MILLIS_LENGTH || !hasUtcMillisMarks(text)) return null;
  const hour = digits(text, 11, 2);
  const minute = digits(text, 14, 2);
  const second = digits(text, 17, 2);
  const millis = digits(text, 20, 3);
  // A non-digit gives NaN, which fails every one of these comparisons.
  if (!(hour <= 23 && minute <= 59 && second <= 59 && millis <= 999)) return null;
  // Most events have the same day as the event before.
  if (!text.startsWith(lastDay.text)) lastDay = readDay(text);
  return lastDay.start === null
    ? null
    : lastDay.start + ((hour * 60 + minute) * 60 + second) * 1_000 + millis;
}

/** A day as `2026-01-31`, and when it begins in epoch milliseconds; null if it does not exist. */
interface KnownDay {
  readonly text: string;
  readonly start: number | null;
}

let lastDay: KnownDay = { text: "1970-01-01", start: 0 };

function readDay(text: string): KnownDay {
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  const isDay = year >= 1000 && isCalendarDay(year, month, day);
  return { text: text.slice(0, DAY_LENGTH), start: isDay ? Date.UTC(year, month - 1, day) : null };
}

function hasUtcMillisMarks(text: string): boolean {
  const isDate =
    text.charCodeAt(4) === DASH && text.charCodeAt(7) === DASH && text.charCodeAt(10) === LETTER_T;
  const isTime =
    text.charCodeAt(13) === COLON && text.charCodeAt(16) === COLON && text.charCodeAt(19) === DOT;
  return isDate && isTime && text.charCodeAt(23) === LETTER_Z;
}

/** Parses `count` decimal digits; NaN if there is anything else. */
function digits(text: string, start: number, count: number): number {
  let value = 0;
  for (let index = start; index < start + count; index++) {
    const digit = text.charCodeAt(index) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = 10 * value + digit;
  }
  return value;
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && (day <= 28 || day <= daysInMonth(year, month));
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
