import { Buffer } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fieldsOf } from "../fields.ts";
import type { KeptFile, KeptSettings } from "../platform.ts";
import { keptFileText } from "./kept-file-text.ts";
import { keyHashOf } from "./key-hash.ts";

const MAX_BYTES = 4 * 1024 * 1024;
let written = 0;

/** Opens the key's file in the folder of the offline store; keeps nothing when no folder is given. */
export function openConfigFile(settings: KeptSettings): KeptFile {
  const { offlineStore: folder, apiKey, log } = settings;
  if (typeof folder !== "string") return { keyHash: "", read: () => null, save() {} };
  const keyHash = keyHashOf(apiKey);
  const path = join(folder, `config-${keyHash}.json`);
  const noteFailure = (error: unknown) => log.count(`offlineStore fails, ${fieldsOf(error).code}`);
  let writing = Promise.resolve();
  return {
    keyHash,
    read() {
      try {
        // Read synchronously, so that the first assignment has it. A larger file was not written by the client.
        return statSync(path).size > MAX_BYTES ? "" : readFileSync(path, "utf8");
      } catch (error) {
        if (fieldsOf(error).code !== "ENOENT") noteFailure(error);
        return null;
      }
    },
    save(config, known) {
      if (canonical(config) === canonical(known)) return;
      const text = keptFileText(settings, keyHash, config);
      if (Buffer.byteLength(text) > MAX_BYTES) return log.sayOnce("warn", "a config over 4 MiB is not kept");
      const temporary = `${path}.${process.pid}-${written++}.tmp`;
      writing = writing
        .then(() => writeFile(temporary, text, { mode: 0o600 }))
        .then(() => rename(temporary, path))
        .catch(noteFailure);
    },
  };
}

/** Serializes a value with sorted object keys, because the Python and Java clients write another order. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_name, part) =>
    fieldsOf(part) === part ? Object.fromEntries(Object.entries(part).sort()) : part,
  );
}
