import type { Erasure } from "@assay/domain";
import type { Sealer } from "./data-folder/seal.ts";

/**
 * Computes what stands for a user of an org in the audit. With the id, a person can find the entries, but nobody can
 * derive the id from them.
 */
export function userFingerprint(
  { orgId, userId }: Pick<Erasure, "orgId" | "userId">,
  sealer: Pick<Sealer, "fingerprint">,
): string {
  return sealer.fingerprint(JSON.stringify(["user", orgId, userId]));
}
