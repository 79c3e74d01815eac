import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createSealer, type Sealer } from "../data-folder/seal.ts";
import { SettingsError } from "../settings.ts";

/**
 * Returns the sealer of a data folder's secrets, which stay as they are when the folder is moved. Throws a `SettingsError`, which says
 * where the key is, unless the master key given is that of the folder.
 */
export function folderSealer(dir: string, masterKey: Buffer | null, sealed: readonly string[]): Sealer {
  const file = join(dir, "master.key");
  const isInFile = existsSync(file);
  const remedy = isInFile
    ? `set it with export ASSAY_MASTER_KEY="$(cat ${file})", and for every process that is started afterwards.`
    : "set the key that the service on this folder was started with.";
  if (masterKey === null)
    throw new SettingsError(`ASSAY_MASTER_KEY must be the key of the data folder ${dir}: ${remedy}`);
  const sealer = createSealer(masterKey);
  const isOurs =
    sealed.length > 0
      ? sealed.every((secret) => sealer.open(secret) !== null)
      : !isInFile || readFileSync(file, "utf8").trim() === masterKey.toString("base64");
  if (isOurs) return sealer;
  throw new SettingsError(
    `ASSAY_MASTER_KEY is not the key that the secrets of the data folder ${dir} are encrypted with: ${remedy}`,
  );
}
