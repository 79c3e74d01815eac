import type { MaskingRules } from "../rehearsal/masking-rules.ts";

/** What each org has masked in the inputs of its datasets. */
export interface MaskingRuleStore {
  /** The rules of an org that never set any are the default ones. */
  get(orgId: string): Promise<MaskingRules>;
  put(orgId: string, rules: MaskingRules): Promise<void>;
}
