import { resetPasskeys as reset } from "@assay/server";
import { LOCAL_ORG } from "@assay/server/local-identity";
import { parseSettings } from "@assay/server/settings";
import { CommandError } from "../command-error.ts";
import { readOptions } from "../options.ts";

/**
 * Removes a person's passkeys. It is meant for the last owner, whom no other owner can help. It needs access to the control
 * plane, but no sign-in. The service may be running.
 */
export async function resetPasskeys(args: readonly string[]): Promise<void> {
  const { options, positionals } = readOptions(args, ["org"], [], 1);
  const [email] = positionals;
  if (email === undefined)
    throw new CommandError("Name one email: npm run assay -- reset-passkeys ann@example.org");
  const settings = parseSettings(process.env);
  if (settings.identity.kind !== "local")
    throw new CommandError(
      `With ASSAY_IDENTITY=${settings.identity.kind} Assay keeps no passkeys: reset second factors at ${settings.identity.issuer}.`,
    );
  const org = options.org ?? LOCAL_ORG.externalId;
  const count = await reset(settings, { email, org });
  if (count === null)
    throw new CommandError(`The organization ${org} has no member ${email}. Name another one with --org.`);
  console.log(
    `Removed ${count} ${count === 1 ? "passkey" : "passkeys"} of ${email} and ended their sessions. They sign in with a new link and add a passkey.`,
  );
}
