import type { GuardLook } from "../results/guard-look.ts";

/** The newest look of each experiment's guard. */
export interface GuardLookStore {
  /** Stores a look at the org's experiment; replaces the previous one. */
  put(orgId: string, look: GuardLook): Promise<void>;
  /** Null if the guard has not looked yet. */
  find(orgId: string, experimentId: string): Promise<GuardLook | null>;
}
