import { randomUUID } from "node:crypto";
import { makeSigningKey } from "../identity/session-tokens.ts";
import type { Settings } from "../settings.ts";
import { dataFolderOnDemand } from "./data-folder.ts";
import { checkMasterKey, loadSigningKey } from "./installation-secrets.ts";
import { createSealer } from "./seal.ts";

/** The settings that locate the key that signs sessions. */
export type SigningKeySettings = Pick<Settings, "dataDir" | "databaseUrl" | "masterKey">;

/** Reads the key that signs the installation's local sessions, creating it at first use. Needs no running service. */
export async function readSigningKey(settings: SigningKeySettings): Promise<Buffer> {
  const { dataDir, masterKey, databaseUrl } = settings;
  const folder = dataFolderOnDemand(dataDir, () => {});
  if (databaseUrl === null || masterKey === null) return folder.secret("identity.key", makeSigningKey);
  // The command line would load all engines to read a file.
  const { openControlPlane } = await import("../engines/open-engines.ts");
  const control = await openControlPlane(settings, folder, randomUUID);
  try {
    await control.migrate();
    const clock = { now: () => Date.now() };
    const secrets = { control, folder, sealer: createSealer(masterKey), clock, settings };
    await checkMasterKey(secrets);
    return await loadSigningKey(secrets);
  } finally {
    await control.close();
  }
}
