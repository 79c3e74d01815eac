import { parseChoice, parseUrl, type ReadSetting, required, SettingsError } from "./parse-value.ts";

export interface AlertSettings {
  /** Whether alerts may go to addresses that are not public, and to http. */
  readonly allowsPrivate: boolean;
  /** Null: the installation sends no mail. */
  readonly smtp: SmtpSettings | null;
}

export interface SmtpSettings {
  /** smtp://, or smtps:// for TLS from the start; with user and password if the server needs them. */
  readonly url: string;
  readonly from: string;
}

export const ALERT_SETTINGS = [
  {
    name: "ASSAY_ALERTS_PRIVATE_ADDRESSES",
    default: "refuse",
    meaning: "allow: alerts may go to private addresses in this network, and to http:// addresses",
  },
  {
    name: "ASSAY_SMTP_URL",
    default: "none: no mail",
    meaning: "smtp(s)://user:password@host:port of the server that sends alerts by mail",
    isSecret: true,
  },
  { name: "ASSAY_SMTP_FROM", default: "none", meaning: "sender of mail, such as Assay <assay@example.com>" },
] as const;

/** Reads the settings of alerts. Throws a `SettingsError` when only one of the mail settings is set. */
export function parseAlerts(read: ReadSetting): AlertSettings {
  const name = "ASSAY_ALERTS_PRIVATE_ADDRESSES";
  const allowed = parseChoice(name, read(name) ?? "refuse", ["refuse", "allow"]);
  return { allowsPrivate: allowed === "allow", smtp: parseSmtp(read) };
}

function parseSmtp(read: ReadSetting): SmtpSettings | null {
  const set = ["ASSAY_SMTP_URL", "ASSAY_SMTP_FROM"].find((name) => read(name) !== undefined);
  if (set === undefined) return null;
  const url = parseUrl("ASSAY_SMTP_URL", required("ASSAY_SMTP_URL", set, read), ["smtp:", "smtps:"]);
  const from = required("ASSAY_SMTP_FROM", set, read);
  if (!/^[^@\r\n]+@[^@\s]+$/.test(from))
    throw new SettingsError(
      `ASSAY_SMTP_FROM must be an email address, alone or as Name <address>, not "${from}".`,
    );
  return { url, from };
}
