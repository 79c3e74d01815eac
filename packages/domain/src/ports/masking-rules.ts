import type { MaskingRules } from "../rehearsal/masking-rules.ts";

/** Which passages each org masks in the inputs of its datasets. */
export interface MaskingRuleStore {
  /** Returns the default rules if the org never set any. */
  get(orgId: string): Promise<MaskingRules>;
  put(orgId: string, rules: MaskingRules): Promise<void>;
}
