export const EVENT_SOURCES = ["publishable", "secret", "import", "signed", "test", "otlp"] as const;
/** How an event was sent: with a publishable or secret key, in a file, in a signed webhook, by the test-event route, or as OpenTelemetry. */
export type EventSource = (typeof EVENT_SOURCES)[number];

/** Who sent an event, and how. */
export interface Provenance {
  readonly source: EventSource;
  /** The first characters of the API key; null when none was used. */
  readonly keyPrefix: string | null;
  /** Name and version of the client library, for example `assay-python/1.2.0`; null for other senders. */
  readonly client: string | null;
}

/** Returns whether a source is public. Anybody can have a publishable key; every other source requires a secret. */
export function isPublic(source: string | null): boolean {
  return source === "publishable";
}

const CLIENT = /^assay-[a-z]{1,20}\/[\w.+-]{1,40}$/;

/** Returns the client library that a User-Agent names, or null. */
export function clientOf(userAgent: string | undefined): string | null {
  return userAgent !== undefined && CLIENT.test(userAgent) ? userAgent : null;
}
