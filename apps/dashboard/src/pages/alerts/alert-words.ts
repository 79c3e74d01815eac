import type { Tone } from "../../ui/Notice.tsx";
import type { AlertType, Channel, Delivery, Kind } from "./queries.ts";

/** What the types say, in the order of the choice. */
export const TYPE_WORDS: Readonly<Record<AlertType, string>> = {
  "experiment.ready": "A night gives a verdict: ship, stop or decide",
  "experiment.srm": "The traffic split is wrong",
  "experiment.health_critical": "Critical fault in the data",
  "experiment.no_traffic": "No exposures for 24 hours",
  "experiment.held": "An experiment is held",
  "experiment.resumed": "An experiment is resumed",
  "experiment.stage": "A rollout reaches its next stage",
  "judge.down": "The judge gives no scores",
  "usage.80": "80% of the monthly events are used",
  "usage.100": "All monthly events are used",
  "key.unusual": "Unusual use of the publishable key",
};

export const TYPES = Object.keys(TYPE_WORDS) as readonly AlertType[];

export const KIND_WORDS: Readonly<Record<Kind, { readonly label: string; readonly detail: string }>> = {
  webhook: { label: "Webhook", detail: "Signed JSON to your own service." },
  slack: { label: "Slack", detail: "An incoming webhook of a Slack app." },
  teams: { label: "Microsoft Teams", detail: "A workflow that posts when a webhook request is received." },
  email: { label: "Email", detail: "Up to five addresses." },
};

/** Where a channel sends. */
export function targetText({ url, addresses }: Pick<Channel, "url" | "addresses">): string {
  return addresses?.join(", ") ?? url ?? "Unknown: enter its address again";
}

/** What a channel takes. */
export function takesText({ types }: Pick<Channel, "types">): string {
  if (types === null) return "All alerts";
  return types.map((type) => TYPE_WORDS[type]).join("; ");
}

/** A state in a word, with its tone. */
export interface StateWord {
  readonly word: string;
  readonly tone: Tone;
}

export function channelState({
  on,
  failing_since: failing,
}: Pick<Channel, "on" | "failing_since">): StateWord {
  if (!on) return { word: "Off", tone: "quiet" };
  return failing === null ? { word: "On", tone: "good" } : { word: "Failing", tone: "bad" };
}

export function deliveryState({ status, attempts }: Pick<Delivery, "status" | "attempts">): StateWord {
  if (status === "delivered") return { word: "Delivered", tone: "good" };
  if (status === "failed") return { word: "Failed", tone: "bad" };
  return attempts === 0 ? { word: "Waiting", tone: "info" } : { word: "Trying again", tone: "warn" };
}

/** What the receiver answered last. */
export function answerText({ code, answer }: Pick<Delivery, "code" | "answer">): string {
  if (answer === null) return "Not sent yet";
  const text = answer === "" ? "no text" : answer;
  return code === null ? text : `${code}: ${text}`;
}

/** A message's type in words, and the experiment that it is about. */
export function messageText({ type, data }: Delivery["message"]): string {
  const word = type === "test" ? "Test message" : TYPE_WORDS[type];
  return "experiment" in data ? `${data.experiment.name}: ${word}` : word;
}
