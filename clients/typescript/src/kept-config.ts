import { keepFile } from "#platform";
import { type ConfigSnapshot, parseConfig } from "./config-snapshot.ts";
import { fieldsOf, parseJson, textOr } from "./fields.ts";
import type { KeptSettings } from "./platform.ts";

/** The last good config, kept across processes or pages if the offline store allows it. */
export interface KeptConfig {
  /**
   * Returns the kept config, however old, because buckets are sticky. Null when none is kept for this key and address.
   */
  load(): ConfigSnapshot | null;
  /** Call this when a poll brought no config. The first call logs that the kept config is in use. */
  noteFailure(): void;
  /** Keeps a config that the service returned. */
  save(config: unknown): void;
}

/** Opens the config that an earlier process or page kept. Never throws. */
export function openKeptConfig(settings: KeptSettings): KeptConfig {
  const { baseUrl, now, log } = settings;
  const file = keepFile(settings);
  let known: unknown;
  let keptAt = 0;
  return {
    load() {
      const text = file.read();
      if (text === null) return null;
      const { v, key_hash, base_url, kept_at, config } = fieldsOf(parseJson(text));
      const time = Date.parse(textOr(kept_at, ""));
      const snapshot = v === 1 && time ? parseConfig(config) : null;
      if (!snapshot) log.sayOnce("warn", "unreadable kept config");
      if (!snapshot || key_hash !== file.keyHash || base_url !== baseUrl) return null;
      keptAt = time;
      known = config;
      return snapshot;
    },
    noteFailure() {
      const age = Math.max(0, Math.floor((now() - keptAt) / 1_000));
      if (keptAt) log.sayOnce("warn", `kept config in use, ${age} s old`);
      keptAt = 0;
    },
    save(config) {
      keptAt = 0;
      file.save(config, known);
      known = config;
    },
  };
}
