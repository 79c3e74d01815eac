import { timingSafeEqual } from "node:crypto";

/** Compares secrets in a time that depends on their lengths alone. */
export function isSameSecret(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
