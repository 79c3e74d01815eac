/** The position of a passage in a text, end exclusive. */
export type Passage = readonly [start: number, end: number];

/** Finds passages, ascending and without overlap. */
export type FindPassages = (text: string) => readonly Passage[];

const ADDRESS_PART = /[\p{L}\p{N}._%+'@-]/u;
const HEXADECIMAL_PART = /[0-9A-Fa-f:.]/;
// Each expression matches a whole run of characters, which is checked afterwards, so that no text is read twice.
const IBAN_START = /[A-Za-z]{2}\d{2}/g;
const DIGITS = /\d(?:[ \u00a0-]?\d)*/g;
const DIGIT_GROUP = /\d+/g;
const NUMBERS_WITH_DOTS = /\d+(?:\.\d+)*/g;
const TELEPHONE = /\+?\(?\d(?:[ \u00a0()./-]{0,2}\d)*/g;

const WORD = /[\p{L}\p{N}_]/u;

/** Email addresses. */
export const findEmails: FindPassages = (text) =>
  runsAround(text, "@", ADDRESS_PART).flatMap(([start, end]) => {
    const found = text.slice(start, end);
    const [from, to] = [leading(found, "'.-@"), trailing(found, "'.-@")];
    const address = found.slice(from, to);
    const domain = address.slice(address.lastIndexOf("@") + 1);
    const isAddress = domain !== address && /\.\p{L}{2,}$/u.test(domain.slice(-64));
    return isAddress ? [[start + from, start + to] as const] : [];
  });

/** IBANs with a known country code, and the country's length and valid check digits. */
export function findIbans(text: string): readonly Passage[] {
  const found: Passage[] = [];
  let from = 0;
  for (const { index } of text.matchAll(IBAN_START)) {
    if (index < from || isWord(text[index - 1])) continue;
    const length = IBAN_LENGTHS.get(text.slice(index, index + 2).toUpperCase());
    const end = length === undefined ? null : endOfCharacters(text, index, length);
    if (end === null || isWord(text[end]) || !hasCheckDigits(text.slice(index, end))) continue;
    found.push([index, end]);
    from = end;
  }
  return found;
}

const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 " +
    "FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 " +
    "LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 " +
    "SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Returns where `count` letters and digits end, with at most one space or hyphen between two of them; null if there are fewer. */
function endOfCharacters(text: string, start: number, count: number): number | null {
  let at = start;
  for (let seen = 0; seen < count; at++) {
    const isSeparator = seen > 0 && " -\u00a0".includes(text[at] ?? "x") && isBasic(text[at + 1]);
    if (isSeparator) continue;
    if (!isBasic(text[at])) return null;
    seen += 1;
  }
  return at;
}

function isBasic(character: string | undefined): boolean {
  return character !== undefined && /^[A-Za-z0-9]$/.test(character);
}

/** ISO 13616: the remainder by 97 is 1, with the first four characters last and letters as 10 to 35. */
function hasCheckDigits(iban: string): boolean {
  const plain = [...iban].filter(isBasic);
  const turned = [...plain.slice(4), ...plain.slice(0, 4)].map((character) => Number.parseInt(character, 36));
  return turned.reduce((rest, value) => (rest * (value < 10 ? 10 : 100) + value) % 97, 0) === 1;
}

/** Payment card numbers: 13 to 19 digits, in one piece or in groups, with a valid check digit. */
export const findCards: FindPassages = (text) =>
  [...text.matchAll(DIGITS)].flatMap(({ 0: run, index }) => cardsIn(run, index, text));

function cardsIn(run: string, offset: number, text: string): readonly Passage[] {
  const groups = [...run.matchAll(DIGIT_GROUP)].map(({ 0: digits, index }) => ({
    digits,
    start: offset + index,
  }));
  const found: Passage[] = [];
  // Digits after a decimal point are not a card number.
  const isFraction = /^\d[.,]$/.test(text.slice(Math.max(0, offset - 2), offset));
  for (let first = isFraction ? 1 : 0; first < groups.length; first++) {
    const last = lastGroupOfCard(groups, first);
    if (last === null) continue;
    const { start, digits } = groups[last] as (typeof groups)[number];
    found.push([(groups[first] as (typeof groups)[number]).start, start + digits.length]);
    first = last;
  }
  return found;
}

function lastGroupOfCard(groups: readonly { readonly digits: string }[], first: number): number | null {
  let digits = "";
  let found: number | null = null;
  for (let last = first; last < groups.length; last++) {
    digits += groups[last]?.digits;
    if (digits.length > 19) break;
    if (digits.length >= 13 && isCard(digits)) found = last;
  }
  return found;
}

/** Card networks' numbers begin with 2 to 6, and the Luhn sum is divisible by 10. */
function isCard(digits: string): boolean {
  if (!/^[2-6]/.test(digits)) return false;
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const value = place % 2 === 0 ? digit : 2 * digit;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** IPv4 and IPv6 addresses. */
export const findIps: FindPassages = (text) =>
  [...matches(text, NUMBERS_WITH_DOTS, ipV4), ...runsAround(text, ":", HEXADECIMAL_PART).flatMap(ipV6(text))]
    .sort(([a], [b]) => a - b)
    // An IPv6 address may end with an IPv4 address.
    .filter(([start], index, all) => index === 0 || start >= (all[index - 1] as Passage)[1]);

function ipV4(found: string, start: number): Passage | null {
  return isIpV4(found) ? [start, start + found.length] : null;
}

function isIpV4(text: string): boolean {
  if (text.length > 15) return false;
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}

const ipV6 =
  (text: string) =>
  ([start, until]: Passage) => {
    const found = text.slice(start, until);
    const isDoubled = found.endsWith("::");
    const address = isDoubled ? found : found.slice(0, trailing(found, ".:"));
    const end = start + address.length;
    if (isWord(text[start - 1]) || isWord(text[end])) return [];
    return isIpV6(address) ? [[start, end] as const] : [];
  };

/** At least two groups and a digit: `a::b` is more likely code than an address. */
function isIpV6(address: string): boolean {
  if (address.length > 45 || !/\d/.test(address)) return false;
  const halves = address.split("::");
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const tail = groups.at(-1) as string;
  const hexadecimal = tail.includes(".") ? groups.slice(0, -1) : groups;
  const size = hexadecimal.length + (tail.includes(".") ? 2 : 0);
  return (
    hexadecimal.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group)) &&
    (!tail.includes(".") || isIpV4(tail)) &&
    (halves.length === 2 ? size >= 2 && size < 8 : halves.length === 1 && size === 8)
  );
}

/** Telephone numbers: with `+`, `00`, an area code that begins with 0 or is in brackets, or grouped as in North America. */
export const findPhones: FindPassages = (text) =>
  matches(text, TELEPHONE, (found, start) => {
    const digits = found.replace(/\D/g, "").length;
    const isLong = digits > 15 && !/\D/.test(found.slice(1));
    return digits < 7 || isLong || !isPhone(found) ? null : [start, start + found.length];
  });

function isPhone(found: string): boolean {
  if (/^(?:\d{4}-\d\d-\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?!\d))/.test(found)) return false;
  return /^(?:[+(]|0\d)|^(?:1[ .-]?)?\d{3}[ .-]\d{3}[ .-]\d{4}$/.test(found);
}

/** Finds the runs of characters that match `part` and contain `anchor`. Texts without the anchor are skipped quickly. */
function runsAround(text: string, anchor: string, part: RegExp): readonly Passage[] {
  const runs: Passage[] = [];
  let end = 0;
  for (let at = text.indexOf(anchor); at >= 0; at = text.indexOf(anchor, end)) {
    let start = at;
    while (start > end && part.test(text[start - 1] as string)) start -= 1;
    end = at + 1;
    while (end < text.length && part.test(text[end] as string)) end += 1;
    runs.push([start, end]);
  }
  return runs;
}

function matches(
  text: string,
  expression: RegExp,
  passageOf: (found: string, start: number) => Passage | null,
): readonly Passage[] {
  return [...text.matchAll(expression)].flatMap(({ 0: found, index }) => {
    const passage = passageOf(found, index);
    return passage === null ? [] : [passage];
  });
}

function leading(text: string, characters: string): number {
  let at = 0;
  while (at < text.length && characters.includes(text[at] as string)) at += 1;
  return at;
}

function trailing(text: string, characters: string): number {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] as string)) end -= 1;
  return end;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && WORD.test(character);
}
