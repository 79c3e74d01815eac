import type { JsonObject } from "../json.ts";

export type ScimKind = "User" | "Group";

/** A user or a group as an identity provider provisioned it. */
export interface ScimResource {
  readonly orgId: string;
  readonly id: string;
  readonly kind: ScimKind;
  /**
   * The user or group name, with ASCII letters in lower case. Unique in the org among resources that are not deleted.
   */
  readonly nameKey: string;
  readonly externalId: string | null;
  /** The primary email, ASCII letters in lower case; null for a group. */
  readonly email: string | null;
  readonly isActive: boolean;
  /** Deleted users are kept, so that a person who has never signed in stays out as well. */
  readonly isDeleted: boolean;
  /** The attributes from the provider that Assay keeps. */
  readonly document: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What SCIM provisions, by org. Tokens are stored only as SHA-256 (hex). */
export interface ScimStore {
  /** Replaces the org's token. */
  putToken(token: {
    readonly orgId: string;
    readonly hash: string;
    readonly createdAt: number;
  }): Promise<void>;
  /** False when the org has none. */
  removeToken(orgId: string): Promise<boolean>;
  /** When the org's token was created; null without one. */
  findTokenDate(orgId: string): Promise<number | null>;
  /** The org of a token; null when the token is unknown, or its org is deleted. */
  findOrg(hash: string): Promise<string | null>;
  put(resource: ScimResource): Promise<void>;
  /** Null when the org has no such resource, or it is deleted. */
  find(orgId: string, kind: ScimKind, id: string): Promise<ScimResource | null>;
  /** Resources that are not deleted, oldest first. */
  list(orgId: string, kind: ScimKind): Promise<readonly ScimResource[]>;
  /** Users who are this person by the provider's id or by email, including deleted ones; newest change first. */
  findPerson(
    orgId: string,
    person: { readonly externalUserId: string; readonly email: string | null },
  ): Promise<readonly ScimResource[]>;
}
