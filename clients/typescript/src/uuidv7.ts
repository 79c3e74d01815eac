const LAST_INSTANT = 2 ** 48 - 1;

/** Makes a UUIDv7 (RFC 9562) for an instant in epoch milliseconds; an instant outside its 48 bits is clamped. */
export function uuidv7(epochMs: number): string {
  const instant = Math.min(LAST_INSTANT, Math.max(0, Math.floor(epochMs) || 0));
  const time = instant.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomTail()}`;
}

/**
 * Random digits of a version 4 UUID, which has the same variant bits. Node 18 and pages without TLS lack randomUUID.
 * There, Math.random is enough: an event id must be unique, not unguessable.
 */
function randomTail(): string {
  const { crypto } = globalThis as { crypto?: { randomUUID?(): string } };
  return (
    crypto?.randomUUID?.().slice(15) ??
    "xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, () => Math.floor(Math.random() * 16).toString(16))
  );
}
