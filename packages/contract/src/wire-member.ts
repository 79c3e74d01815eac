import { type Member, toInstant } from "@assay/domain";

/** Writes a member; one whose name nobody told goes by the email. */
export function toWireMember({ userId, name, email, role, joinedAt }: Member) {
  return {
    user_id: userId,
    name: name || email,
    email,
    role,
    joined_at: joinedAt === null ? null : toInstant(joinedAt),
  };
}
