/** Text that must stay data in any field. */
export const HOSTILE: readonly string[] = [
  "'; DROP TABLE events; --",
  "\n\nDROP TABLE events;",
  '"]\n[1]\n',
  "tab\there\r\nand \\N and \\' and \\\\",
  "nul \u0000 bell \u0007",
  "{orgId: String} {{x}} %27 ?a=b&c=d",
  "日本語 🙂 \u2028 é",
  " ",
  "null",
];
