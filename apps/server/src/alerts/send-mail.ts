import type { Transporter } from "nodemailer";
import type { SmtpSettings } from "../settings/alert-settings.ts";
import type { Attempt } from "./post-message.ts";

const TIMEOUT_MS = 10_000;

export interface Mail {
  /** The id of the delivery, so that mail programs know a repeat. */
  readonly id: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** Sends one mail on its own connection. Never throws. The library is loaded with the first mail. */
export async function sendMail(
  { id, to, subject, text }: Mail,
  { url, from }: SmtpSettings,
  timeoutMs = TIMEOUT_MS,
): Promise<Attempt> {
  const transport = await openTransport({ url, from }, timeoutMs);
  try {
    const sent = await transport.sendMail({ to: [...to], subject, text, messageId: `<${id}@assay>` });
    const refused = (sent.rejected as readonly (string | { readonly address: string })[]).map((one) =>
      typeof one === "string" ? one : one.address,
    );
    const answer = refused.length === 0 ? String(sent.response) : `Not accepted for ${refused.join(", ")}.`;
    return { isDelivered: true, code: codeOf(sent.response), answer };
  } catch (error) {
    const { responseCode, response, code } = error as {
      readonly responseCode?: number;
      readonly response?: string;
      readonly code?: string;
    };
    const answer = response ?? `The mail server gave no answer (${code ?? "unknown error"}).`;
    return { isDelivered: false, code: responseCode ?? null, answer };
  } finally {
    transport.close();
  }
}

/** Checks that the mail server answers and accepts the sign-in. Throws an error whose message says how to fix it. */
export async function probeMail(settings: SmtpSettings | null, timeoutMs = TIMEOUT_MS): Promise<string> {
  if (settings === null) return "none: no alerts by email";
  const transport = await openTransport(settings, timeoutMs);
  try {
    await transport.verify();
    return "the server at ASSAY_SMTP_URL accepts mail";
  } catch (error) {
    const { response, code } = error as { readonly response?: string; readonly code?: string };
    throw new Error(
      `The mail server at ASSAY_SMTP_URL does not accept mail: ${response ?? code ?? "no answer"}.`,
    );
  } finally {
    transport.close();
  }
}

async function openTransport({ url, from }: SmtpSettings, timeoutMs: number): Promise<Transporter> {
  const { createTransport } = (await import("nodemailer")).default;
  const limits = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  return createTransport(
    { url, ...limits, dnsTimeout: timeoutMs, disableFileAccess: true, disableUrlAccess: true },
    { from },
  );
}

function codeOf(response: unknown): number | null {
  const [code] = /^\d{3}/.exec(String(response)) ?? [];
  return code === undefined ? null : Number(code);
}
