import type { LookupFunction } from "node:net";
import { type AlertChannel, type AlertDelivery, type Clock, MAX_ANSWER } from "@assay/domain";
import { Webhook } from "standardwebhooks";
import type { Sealer } from "../data-folder/seal.ts";
import type { AlertSettings } from "../settings/alert-settings.ts";
import { VERSION } from "../version.ts";
import { type AddressGuard, createAddressGuard } from "./address-guard.ts";
import { openSecrets, openTarget } from "./channel-target.ts";
import { mailOf, slackBody, teamsBody, webhookBody } from "./message-body.ts";
import { type Attempt, postMessage } from "./post-message.ts";
import { sendMail } from "./send-mail.ts";

/** Sends messages to channels. */
export interface AlertSender {
  readonly guard: AddressGuard;
  /** Whether the installation can send mail. */
  readonly hasMail: boolean;
  /** Makes one attempt. It ends after ten seconds, and never throws. */
  attempt(channel: AlertChannel, delivery: Pick<AlertDelivery, "id" | "message">): Promise<Attempt>;
}

interface SenderParts {
  readonly settings: AlertSettings;
  readonly publicUrl: string | null;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly resolver?: LookupFunction;
  readonly timeoutMs?: number;
}

const AGENT = `Assay/${VERSION}`;

/** Makes the sender of an installation. */
export function createAlertSender({
  settings: { allowsPrivate, smtp },
  publicUrl,
  sealer,
  clock,
  resolver,
  timeoutMs,
}: SenderParts): AlertSender {
  const guard = createAddressGuard({ allowsPrivate }, resolver);

  async function send(
    channel: AlertChannel,
    { id, message }: Pick<AlertDelivery, "id" | "message">,
  ): Promise<Attempt> {
    const target = openTarget(channel, sealer);
    if (target === null)
      return refused("The channel was stored under another master key: enter its address again.");
    if (target.kind === "email") {
      if (smtp === null)
        return refused("This installation sends no mail: set ASSAY_SMTP_URL and ASSAY_SMTP_FROM.");
      return sendMail({ id, to: target.addresses, ...mailOf(message, publicUrl) }, smtp, timeoutMs);
    }
    const post = (body: string, headers: Readonly<Record<string, string>> = {}) =>
      postMessage({ url: target.url, headers: { "user-agent": AGENT, ...headers }, body }, guard, timeoutMs);
    if (target.kind === "slack") return post(slackBody(message, publicUrl));
    if (target.kind === "teams") return post(teamsBody(message, publicUrl));
    const body = webhookBody(message);
    const at = new Date(clock.now());
    const secrets = openSecrets(channel, clock.now(), sealer);
    return post(body, {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
    });
  }

  return {
    guard,
    hasMail: smtp !== null,
    async attempt(channel, delivery) {
      const { answer, ...attempt } = await send(channel, delivery);
      return { ...attempt, answer: lineOf(answer) };
    },
  };
}

const refused = (answer: string): Attempt => ({ isDelivered: false, code: null, answer });

/** The beginning of an answer as one line, since the receiver may send any text. */
function lineOf(answer: string): string {
  return answer
    .slice(0, 20 * MAX_ANSWER)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, MAX_ANSWER)
    .toWellFormed();
}
