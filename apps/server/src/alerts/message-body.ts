import { AlertMessageSchema, toWire, type ValueOf } from "@assay/contract";
import { type AlertMessage, describeAlert, experimentOf } from "@assay/domain";

/** Converts a message to what answers and webhooks carry. */
export function messageAnswer({ type, at, data }: AlertMessage): ValueOf<typeof AlertMessageSchema> {
  return { type, timestamp: at, data };
}

/** The body of a webhook. */
export const webhookBody = (message: AlertMessage): string =>
  JSON.stringify(toWire(AlertMessageSchema, messageAnswer(message)));

/** The page that a message is about. Null if the service's public address is unknown. */
function pageOf(message: AlertMessage, publicUrl: string | null): string | null {
  if (publicUrl === null) return null;
  const experiment = experimentOf(message);
  if (experiment !== null) {
    const isHealth = message.type === "experiment.srm" || message.type === "experiment.health_critical";
    return `${publicUrl}/experiments/${experiment.id}${isHealth ? "/health" : ""}`;
  }
  if (message.type === "key.unusual") return `${publicUrl}/keys`;
  if (message.type === "judge.down") return `${publicUrl}/judges`;
  return message.type === "test" ? `${publicUrl}/alerts` : `${publicUrl}/usage`;
}

/** The body of a message to Slack. It is plain text, so that no name is read as markup or mentions a person. */
export function slackBody(message: AlertMessage, publicUrl: string | null): string {
  const { title, text } = describeAlert(message);
  const url = pageOf(message, publicUrl);
  const open = { type: "button", text: { type: "plain_text", text: "Open in Assay" }, url };
  return JSON.stringify({
    text: escapeSlack(`${title}. ${text}`),
    blocks: [
      { type: "header", text: { type: "plain_text", text: title.slice(0, 150), emoji: false } },
      { type: "section", text: { type: "plain_text", text: text.slice(0, 3_000), emoji: false } },
      ...(url === null ? [] : [{ type: "actions", elements: [open] }]),
    ],
  });
}

const SLACK_ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escapeSlack = (text: string): string => text.replace(/[&<>]/g, (sign) => SLACK_ENTITIES[sign] ?? sign);

/** The body of a message to a workflow of Teams: an adaptive card whose text blocks read no Markdown. */
export function teamsBody(message: AlertMessage, publicUrl: string | null): string {
  const { title, text } = describeAlert(message);
  const url = pageOf(message, publicUrl);
  const line = (inline: object) => ({ type: "RichTextBlock", inlines: [{ type: "TextRun", ...inline }] });
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [line({ text: title, weight: "Bolder", size: "Medium" }), line({ text })],
    ...(url === null ? {} : { actions: [{ type: "Action.OpenUrl", title: "Open in Assay", url }] }),
  };
  return JSON.stringify({
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
  });
}

/** Subject and text of a mail. */
export function mailOf(
  message: AlertMessage,
  publicUrl: string | null,
): { readonly subject: string; readonly text: string } {
  const { title, text } = describeAlert(message);
  const url = pageOf(message, publicUrl);
  const reason =
    "You receive this email because your address is in an alert channel of your organization in Assay.";
  return { subject: title, text: [text, ...(url === null ? [] : [url]), `-- \n${reason}`].join("\n\n") };
}
