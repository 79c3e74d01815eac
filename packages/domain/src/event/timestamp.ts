const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](?!24)\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;
/** `2026-01-31T12:00:00.000Z`, the form that every client library of ours sends. */
const UTC_MILLIS_LENGTH = 24;
const DAY_MS = 86_400_000;
/** Days from the first of March of the year 0 until 1970. */
const MARCH_OF_YEAR_0 = 719_468;
const ZERO = 0x30;
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

/** Null for every other form, and for years before 1000. */
function parseUtcMillis(text: string): number | null {
  if (text.length !== UTC_MILLIS_LENGTH) return null;
  if (!hasUtcMillisMarks(text)) return null;
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  // Three digits are two pairs that share the one in the middle.
  const [hundredths, rest] = [twoDigits(text, 20), twoDigits(text, 21)];
  const isTime = isUpTo(23, hour) && isUpTo(59, minute) && isUpTo(59, second) && hundredths >= 0 && rest >= 0;
  if (!(isTime && year >= 1000 && isCalendarDay(year, month, day))) return null;
  const seconds = 3600 * hour + 60 * minute + second;
  return DAY_MS * daysSinceEpoch(year, month, day) + 1000 * seconds + 10 * hundredths + (rest % 10);
}

const isUpTo = (most: number, value: number): boolean => value >= 0 && value <= most;

/** Whole numbers of 32 bits and years that begin in March, so that a leap day is the last of its year: `Date.UTC` takes longer. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const months = month > 2 ? month - 3 : month + 9;
  const centuries = (years / 100) | 0;
  const leapDays = (years >> 2) - centuries + (centuries >> 2);
  // Five months have 153 days, from March on and again from August on.
  const daysBefore = ((153 * months + 2) / 5) | 0;
  return 365 * years + leapDays + daysBefore + day - 1 - MARCH_OF_YEAR_0;
}

function hasUtcMillisMarks(text: string): boolean {
  const isDate =
    text.charCodeAt(4) === DASH && text.charCodeAt(7) === DASH && text.charCodeAt(10) === LETTER_T;
  const isTime =
    text.charCodeAt(13) === COLON && text.charCodeAt(16) === COLON && text.charCodeAt(19) === DOT;
  return isDate && isTime && text.charCodeAt(23) === LETTER_Z;
}

/** Parses two decimal digits. What has anything else is so far below zero that it stays below in a sum with other digits. */
function twoDigits(text: string, start: number): number {
  const tens = text.charCodeAt(start) - ZERO;
  const ones = text.charCodeAt(start + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : -1_000_000;
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && (day <= 28 || day <= daysInMonth(year, month));
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
