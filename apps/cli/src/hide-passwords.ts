const HIDDEN = "***";
const SECRET_NAME = /pass|pwd|secret|token|key|credential|signature/i;

/** Hides the passwords of every URL in a text: before the host, and in query parameters whose names suggest a secret. */
export function hidePasswords(text: string): string {
  return text
    .split(/([\s,]+)/)
    .map((word) => hideParameters(hideUser(word)))
    .join("");
}

/** Hides up to the last `@`, because people forget to encode `@` in passwords. A single value before the `@` is a token. */
function hideUser(word: string): string {
  const scheme = word.indexOf("://");
  const end = word.lastIndexOf("@");
  if (scheme < 0 || end < scheme) return word;
  const start = scheme + "://".length;
  const colon = word.indexOf(":", start);
  const user = colon >= 0 && colon < end ? word.slice(start, colon + 1) : "";
  return `${word.slice(0, start)}${user}${HIDDEN}${word.slice(end)}`;
}

function hideParameters(word: string): string {
  const [address = "", ...queries] = word.split(/([?&#])/);
  return address + queries.map(hideParameter).join("");
}

function hideParameter(part: string): string {
  const equals = part.indexOf("=");
  if (equals < 0 || !SECRET_NAME.test(part.slice(0, equals))) return part;
  return `${part.slice(0, equals + 1)}${HIDDEN}`;
}
