import { type Clock, type ControlPlane, installationBinding } from "@assay/domain";
import { makeSigningKey } from "../identity/session-tokens.ts";
import { type Settings, SettingsError } from "../settings.ts";
import { type DataFolder, DataFolderError } from "./data-folder.ts";
import type { Sealer } from "./seal.ts";

interface SecretParts {
  readonly control: Pick<ControlPlane, "installationSecrets" | "isShared">;
  readonly folder: DataFolder;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly settings: Pick<Settings, "masterKey">;
}

const CANARY = "canary";
const CANARY_BINDING = installationBinding(CANARY);
/** The name of the secret that signs local sessions. */
export const SIGNING_KEY = "identity-key";

/** Throws a one-line error when the master key is not the one that encrypted this database's secrets. */
export async function checkMasterKey({ control, sealer, clock, settings }: SecretParts): Promise<void> {
  const sealed = sealer.seal(CANARY, CANARY_BINDING);
  const kept = await control.installationSecrets.putFirst({ name: CANARY, sealed, createdAt: clock.now() });
  if (sealer.open(kept, CANARY_BINDING) === CANARY) return;
  if (settings.masterKey !== null)
    throw new SettingsError(
      "ASSAY_MASTER_KEY is not the key that the secrets in this database are encrypted with: set the key that was used at the first start.",
    );
  throw new DataFolderError(
    "The file master.key in the data folder is not the key that the secrets in this database are encrypted with: restore the file, or set ASSAY_MASTER_KEY to the key that was used at the first start.",
  );
}

/** Whether a master key is the database's. Null when nothing is encrypted there yet. Changes nothing. */
export async function fitsMasterKey({
  control,
  sealer,
}: Pick<SecretParts, "sealer"> & { readonly control: Pick<ControlPlane, "installationSecrets"> }): Promise<
  boolean | null
> {
  const kept = await control.installationSecrets.find(CANARY);
  return kept === null ? null : sealer.open(kept, CANARY_BINDING) === CANARY;
}

/**
 * Reads the key that signs local sessions (PKCS #8 PEM), creating it at first use. Processes that share a database and a master key also
 * share this key there; it starts as the one in the data folder, if there is one. Any other process keeps it in its data folder.
 */
export async function loadSigningKey({
  control,
  folder,
  sealer,
  clock,
  settings,
}: SecretParts): Promise<Buffer> {
  if (!control.isShared || settings.masterKey === null) return folder.secret("identity.key", makeSigningKey);
  const { installationSecrets } = control;
  const name = SIGNING_KEY;
  const kept = await installationSecrets.find(name);
  const made = () => (folder.findSecret("identity.key") ?? makeSigningKey()).toString("utf8");
  const sealed =
    kept ??
    (await installationSecrets.putFirst({
      name,
      sealed: sealer.seal(made(), installationBinding(name)),
      createdAt: clock.now(),
    }));
  const pem = sealer.open(sealed, installationBinding(name));
  if (pem === null)
    throw new SettingsError("ASSAY_MASTER_KEY does not open the key that signs sessions in this database.");
  return Buffer.from(pem, "utf8");
}
