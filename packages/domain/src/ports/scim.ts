import type { JsonObject } from "../json.ts";

export type ScimKind = "User" | "Group";

/** A user or a group as an identity provider provisioned it. */
export interface ScimResource {
  readonly orgId: string;
  readonly id: string;
  readonly kind: ScimKind;
  /** The user name or the group's name, ASCII letters in lower case: unique in the org among those that are not deleted. */
  readonly nameKey: string;
  readonly externalId: string | null;
  /** The primary email, ASCII letters in lower case; null for a group. */
  readonly email: string | null;
  readonly isActive: boolean;
  /** A deleted user is kept, so that a person who has never signed in stays out, too. */
  readonly isDeleted: boolean;
  /** What the provider sent of the attributes that Assay keeps. */
  readonly document: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What SCIM provisions, by org. Only the SHA-256 (hex) of a token is stored. */
export interface ScimStore {
  /** Replaces the org's token. */
  putToken(token: {
    readonly orgId: string;
    readonly hash: string;
    readonly createdAt: number;
  }): Promise<void>;
  /** False when the org has none. */
  removeToken(orgId: string): Promise<boolean>;
  /** When the org's token was made; null without one. */
  findTokenDate(orgId: string): Promise<number | null>;
  /** The org of a token; null for an unknown one, and for that of a deleted org. */
  findOrg(hash: string): Promise<string | null>;
  put(resource: ScimResource): Promise<void>;
  /** Null when the org has no such resource, or it is deleted. */
  find(orgId: string, kind: ScimKind, id: string): Promise<ScimResource | null>;
  /** Those that are not deleted, oldest first. */
  list(orgId: string, kind: ScimKind): Promise<readonly ScimResource[]>;
  /** Users, deleted ones included, that are this person: by the provider's id or by the email; the newest change first. */
  findPerson(
    orgId: string,
    person: { readonly externalUserId: string; readonly email: string | null },
  ): Promise<readonly ScimResource[]>;
}
