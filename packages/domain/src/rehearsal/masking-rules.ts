/** Kinds of personal data that built-in rules mask. */
export const MASKING_KINDS = ["email", "phone", "iban", "card", "ip"] as const;
export type MaskingKind = (typeof MASKING_KINDS)[number];

/** A rule of an org: passages that match its expression become `[name]`. */
export interface OwnMaskingRule {
  readonly name: string;
  /** A regular expression in RE2's syntax. */
  readonly pattern: string;
}

/** What is masked in an input before it is stored. */
export interface MaskingRules {
  readonly builtIn: readonly MaskingKind[];
  readonly own: readonly OwnMaskingRule[];
}

export const DEFAULT_MASKING_RULES: MaskingRules = { builtIn: MASKING_KINDS, own: [] };

export const MAX_OWN_MASKING_RULES = 20;
