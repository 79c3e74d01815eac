/**
 * The events of the security log, by their stable names. Every action is logged and kept. Of the refusals per minute, event,
 * org and network, only the first is logged, followed by the number of the rest.
 */
export const SECURITY_EVENTS = {
  "security.sign_in.accepted": {
    kind: "act",
    meaning: "Somebody signed in with an invitation, the start-up link or at the identity provider.",
  },
  "security.sign_in.refused": {
    kind: "refusal",
    meaning:
      "A sign-in link was unknown, used or expired, the identity provider refused or sent nothing that admits the person, or no seat was left.",
  },
  "security.sign_out.accepted": { kind: "act", meaning: "A session was ended by its holder." },
  "security.credential.refused": {
    kind: "refusal",
    meaning: "401: a session, an API key, a service token or the SCIM token is missing or not valid.",
  },
  "security.permission.refused": {
    kind: "refusal",
    meaning: "403: a known caller lacks the right, or a page is of a foreign origin.",
  },
  "security.webhook.refused": {
    kind: "refusal",
    meaning: "A signature of a webhook or business event did not verify.",
  },
  "security.key.rotated": {
    kind: "act",
    meaning: "An API key was made or replaced; `subject` begins like the new key.",
  },
  "security.key.revealed": { kind: "act", meaning: "An API key was shown; `subject` begins like it." },
  "security.webhook_secret.rotated": {
    kind: "act",
    meaning: "A secret that signs business events or alerts was made or replaced.",
  },
  "security.token.created": { kind: "act", meaning: "A service token was made; `subject` begins like it." },
  "security.token.revoked": {
    kind: "act",
    meaning: "A service token was revoked; `subject` begins like it.",
  },
  "security.scim_token.rotated": {
    kind: "act",
    meaning: "The SCIM token was made or replaced; `subject` begins like the new token.",
  },
  "security.scim_token.revoked": { kind: "act", meaning: "The SCIM token was revoked." },
  "security.passkey.added": {
    kind: "act",
    meaning: "Somebody added a passkey; `subject` begins like its id.",
  },
  "security.passkey.removed": {
    kind: "act",
    meaning:
      "A passkey was removed; `subject` begins like its id, unless all passkeys of a person were removed.",
  },
  "security.passkey.refused": {
    kind: "refusal",
    meaning: "A passkey was not accepted: another origin, challenge or person, or a copy of it.",
  },
} as const satisfies Readonly<Record<string, { kind: "act" | "refusal"; meaning: string }>>;

export type SecurityEventName = keyof typeof SECURITY_EVENTS;

export const SECURITY_EVENT_NAMES = Object.keys(SECURITY_EVENTS) as readonly SecurityEventName[];

/** How long an org's events are kept. */
export const SECURITY_RETENTION_MS = 90 * 86_400_000;
/** Maximum number of events of each kind that are kept per org; the oldest are removed first. */
export const MAX_KEPT_BY_EVENT = 1_000;
/**
 * Maximum number of events of each kind from one network, so that a hostile network displaces only its own events.
 */
export const MAX_KEPT_BY_NETWORK = 100;

/** One entry of the security log. It never contains a secret or a whole key. */
export interface SecurityEvent {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly name: SecurityEventName;
  /** Null when the request names no verified org. */
  readonly orgId: string | null;
  /** Id of the user or service token, or the first characters of the API key; null when unknown. */
  readonly actor: string | null;
  /** IPv4 address or /64 of an IPv6 address; null when several networks are counted. */
  readonly network: string | null;
  /** Method and pattern of the route. */
  readonly route: string | null;
  /** Kind of the problem in the answer; null for an action. */
  readonly reason: string | null;
  /** The first characters of the key or token concerned. */
  readonly subject: string | null;
  /**
   * Number of similar refusals that were suppressed since the previous entry; 0 for a single event.
   */
  readonly leftOut: number;
}
