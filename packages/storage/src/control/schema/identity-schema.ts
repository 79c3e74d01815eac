import type {
  ChallengePurpose,
  Role,
  ScimKind,
  SecurityEventName,
  SignInLink,
  TokenRole,
} from "@assay/domain";
import type { Generated } from "kysely";

export interface OrgTable {
  id: string;
  externalId: string;
  name: string;
  configVersion: number;
  createdAt: number;
  /** Time of the latest update with a name; 0 if there was none. */
  nameOrder: Generated<number>;
  /** Time of the latest update about the user's existence; 0 if only a membership has named the user. */
  changeOrder: Generated<number>;
  isDeleted: Generated<number>;
  requiresPasskey: Generated<number>;
  forbidsReportLinks: Generated<number>;
}

export interface UserTable {
  id: string;
  externalId: string;
  email: string;
  emailOrder: Generated<number>;
  name: string;
  nameOrder: Generated<number>;
  createdAt: number;
  changeOrder: Generated<number>;
  isDeleted: Generated<number>;
}

export interface MembershipTable {
  orgId: string;
  userId: string;
  role: Role;
  changeOrder: Generated<number>;
  isRemoved: Generated<number>;
  /** When the member took a seat; null without a seat. */
  seatedAt: number | null;
  createdAt: number;
}

export interface SignInLinkTable {
  id: string;
  kind: SignInLink["kind"];
  tokenHash: string;
  externalOrgId: string;
  email: string;
  name: string;
  role: Role;
  createdAt: number;
  expiresAt: number;
}

export interface EndedSessionTable {
  id: string;
  expiresAt: number;
}

export interface SessionTable {
  id: string;
  orgId: string | null;
  userId: string;
  startedAt: number;
  lastUsedAt: number;
  endsAt: number;
  userAgent: string;
  sealedRefreshToken: string | null;
  askedAt: number;
  confirmedAt: number;
  verifiedAt: number | null;
}

export interface PasskeyTable {
  orgId: string;
  userId: string;
  id: string;
  name: string;
  publicKey: string;
  counter: number;
  /** A JSON list. */
  transports: string;
  isBackedUp: number;
  createdAt: number;
  lastUsedAt: number | null;
}

export interface PasskeyChallengeTable {
  sessionId: string;
  purpose: ChallengePurpose;
  value: string;
  expiresAt: number;
}

export interface ScimTokenTable {
  orgId: string;
  hash: string;
  createdAt: number;
}

export interface ScimResourceTable {
  id: string;
  orgId: string;
  kind: ScimKind;
  nameKey: string;
  externalId: string | null;
  email: string | null;
  isActive: number;
  isDeleted: number;
  document: string;
  createdAt: number;
  updatedAt: number;
}

export interface ServiceTokenTable {
  id: string;
  orgId: string;
  name: string;
  role: TokenRole;
  runsNights: number;
  prefix: string;
  hash: string;
  madeBy: string;
  createdAt: number;
  expiresAt: number;
  lastUsedAt: number | null;
}

export interface SecurityEventTable {
  id: string;
  orgId: string;
  at: number;
  name: SecurityEventName;
  actor: string | null;
  network: string | null;
  route: string | null;
  reason: string | null;
  subject: string | null;
  leftOut: number;
}
