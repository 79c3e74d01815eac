import type { Erasure } from "@assay/domain";
import type { Sealer } from "./data-folder/seal.ts";

/**
 * Computes what stands for a user of an org in the audit: a person who knows the id can find the entries, and nobody
 * can read the id from them.
 */
export function userFingerprint(
  { orgId, userId }: Pick<Erasure, "orgId" | "userId">,
  sealer: Pick<Sealer, "fingerprint">,
): string {
  return sealer.fingerprint(JSON.stringify(["user", orgId, userId]));
}
