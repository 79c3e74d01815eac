import type { Role } from "./roles.ts";

/** Roles that a service token can have. Owners can additionally manage owners, which no token may do. */
export const TOKEN_ROLES = ["member", "admin"] as const satisfies readonly Role[];
export type TokenRole = (typeof TOKEN_ROLES)[number];

/** The maximum lifetime of a service token, in days. */
export const MAX_TOKEN_DAYS = 365;

/** How many tokens an org can have at a time, expired ones included. */
export const MAX_TOKENS = 100;

/** Precision of a token's last use: uses within this time after a recorded one are not recorded. */
export const TOKEN_USE_MS = 60_000;

/** A credential of a machine. */
export interface ServiceToken {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly role: TokenRole;
  /** Whether it may run the nightly pipeline, a right of platform owners. */
  readonly runsNights: boolean;
  /** The raw token's first characters, enough to recognize it. */
  readonly prefix: string;
  /** SHA-256 of the raw token in hex, for look-up. */
  readonly hash: string;
  /** Id of the user who created it. */
  readonly madeBy: string;
  /** Epoch milliseconds, like the other times. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Null: not used yet. */
  readonly lastUsedAt: number | null;
}

/** A token with its creator's current role. */
export interface HeldToken extends ServiceToken {
  /** Null: the person is no longer a member, or was deleted. */
  readonly makerRole: Role | null;
  /** Empty when unknown. */
  readonly makerEmail: string;
}

/** Whether a use at `now` is late enough after the recorded one to be recorded itself. */
export function isUseWorthNoting({ lastUsedAt }: Pick<ServiceToken, "lastUsedAt">, now: number): boolean {
  return lastUsedAt === null || now - lastUsedAt >= TOKEN_USE_MS;
}
