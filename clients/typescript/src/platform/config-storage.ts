import { keptFileText } from "../offline/kept-file-text.ts";
import type { KeptFile, KeptSettings } from "../platform.ts";
import type { PageGlobals } from "./page-globals.ts";

type Storing = KeptSettings & Pick<KeptFile, "keyHash">;

/**
 * Writes a config to the page's localStorage, unless it is already there. Does nothing when storage is full or
 * forbidden.
 */
export function saveConfig(settings: Storing, ...[config, known]: Parameters<KeptFile["save"]>): void {
  const { keyHash, offlineStore } = settings;
  try {
    if (offlineStore !== false && JSON.stringify(config) !== JSON.stringify(known))
      (globalThis as PageGlobals).localStorage?.setItem(keyHash, keptFileText(settings, keyHash, config));
  } catch {
    // The next page starts without a kept config.
  }
}
