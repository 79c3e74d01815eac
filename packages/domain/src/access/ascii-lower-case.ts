/**
 * Converts only ASCII letters to lower case. Emails that decide rights are compared this way, because some Unicode letters become
 * ASCII when lowercased (`K`, the Kelvin sign, becomes `k`), and two mailboxes could count as one.
 */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
