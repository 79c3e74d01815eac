import type { AlertType } from "./alert.ts";

export const CHANNEL_KINDS = ["webhook", "slack", "teams", "email"] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** How many channels an org can have. */
export const MAX_CHANNELS = 10;
export const MAX_ADDRESSES = 5;
/** How long the previous secret of a webhook still signs after a rotation. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60_000;
/** How long deliveries and ended facts are kept. */
export const DELIVERY_RETENTION_MS = 30 * 24 * 60 * 60_000;
/** How many characters of a receiver's answer the log keeps. */
export const MAX_ANSWER = 200;

/** Where a channel sends: an address, or the addresses of an email channel. */
export type ChannelTarget =
  | { readonly kind: Exclude<ChannelKind, "email">; readonly url: string }
  | { readonly kind: "email"; readonly addresses: readonly string[] };

/** Where alerts of an org go. Instants in epoch milliseconds. */
export interface AlertChannel {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly kind: ChannelKind;
  /** The target as sealed JSON: an address may contain a token. */
  readonly target: string;
  /** The sealed secret that signs messages; null unless the kind is `webhook`. */
  readonly secret: string | null;
  /** The sealed secret before the last rotation, which also signs until `previousUntil`. Both null without one. */
  readonly previousSecret: string | null;
  readonly previousUntil: number | null;
  /** The alert types that it receives; null: all, including types that later versions add. */
  readonly types: readonly AlertType[] | null;
  readonly isOn: boolean;
  readonly createdAt: number;
  /** Set while the channel is failing: when the first attempt of the message that failed began. A delivered message clears it. */
  readonly failingSince: number | null;
}

/** Hides most of an address: scheme, host and the last four characters stay when the rest is long enough to hide. */
export function shortenedUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  const rest = `${pathname}${search}`;
  if (rest === "/") return origin;
  return rest.length <= 12 ? `${origin}/…` : `${origin}/…${rest.slice(-4)}`;
}
