import { parseRole } from "@assay/domain";
import {
  LOCAL_ORG,
  LOCAL_OWNER,
  localSessionTokens,
  makeSigningKey,
  openDataFolder,
  parseSettings,
} from "@assay/server";
import { CommandError } from "../command-error.ts";
import { readOptions } from "../options.ts";

/** Prints a session JWT of the local identity: whoever can read the data folder can sign. */
export async function sessionToken(args: readonly string[]): Promise<void> {
  const { options } = readOptions(args, ["email", "org", "role"]);
  const role = parseRole(options.role ?? "owner");
  if (role === null) throw new CommandError("--role must be member, admin or owner.");
  console.log(await issueToken({ email: options.email, org: options.org, role }));
}

interface Subject {
  readonly email?: string | undefined;
  readonly org?: string | undefined;
  readonly role?: "member" | "admin" | "owner";
}

/** Signs a token with the data folder's key; by default for the local owner. */
export function issueToken({
  email = LOCAL_OWNER.email,
  org = LOCAL_ORG.externalId,
  role = "owner",
}: Subject): Promise<string> {
  const folder = openDataFolder(parseSettings(process.env).dataDir);
  const tokens = localSessionTokens(folder.secret("identity.key", makeSigningKey), { now: () => Date.now() });
  const name = email === LOCAL_OWNER.email ? LOCAL_OWNER.name : email;
  return tokens.issue({ email, name, role, externalOrgId: org });
}
