import { parseRole } from "@assay/domain";
import { parseSettings } from "@assay/server/settings";
import { CommandError } from "../command-error.ts";
import { issueToken } from "../issue-token.ts";
import { readOptions } from "../options.ts";

/** Prints a session JWT of the local identity. It needs no sign-in: read access to the data folder is enough to sign tokens. */
export async function sessionToken(args: readonly string[]): Promise<void> {
  const { options } = readOptions(args, ["email", "org", "role"]);
  const role = parseRole(options.role ?? "owner");
  if (role === null) throw new CommandError("--role must be member, admin or owner.");
  if (options.email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(options.email))
    throw new CommandError(
      "--email must be an email address: it is the name under which the person signs in.",
    );
  const settings = parseSettings(process.env);
  console.log(await issueToken(settings, { email: options.email, org: options.org, role }));
}
