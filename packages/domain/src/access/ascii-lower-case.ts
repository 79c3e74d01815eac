/**
 * Lowers the case of ASCII letters and of nothing else. Emails that decide rights are compared this way: Unicode has letters that
 * become ASCII ones when their case changes (`K`, the Kelvin sign, lowers to `k`), so two mailboxes could count as one.
 */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
