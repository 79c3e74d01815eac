import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Folder, type FolderMutant, hashOf } from "./load-folder.ts";

/** Who noticed a mutant: the test file, "stopped" when it ended its process, or null for nobody. */
export type Killer = string | null;

interface Stored {
  readonly killer: Killer;
  /** What has to be as it was for the verdict to hold. */
  readonly basis: string;
}

/** The verdicts of earlier runs that still hold, kept in .cache/mutate. */
export interface Verdicts {
  find(mutant: FolderMutant): Killer | undefined;
  add(mutant: FolderMutant, killer: Killer): void;
  save(): void;
}

/**
 * Opens the verdicts of a folder. That a test noticed a mutant holds until its source file or that test changes; that none did,
 * until anything in the folder changes.
 */
export function openVerdicts(root: string, { folder, hashes }: Folder): Verdicts {
  const cache = join(root, ".cache/mutate");
  const file = join(cache, `${folder.replaceAll("/", "-")}.json`);
  const stored: Record<string, Stored> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const kept: Record<string, Stored> = { ...stored };
  const all = hashOf([...hashes].join("\n"));
  const keyOf = ({ path, key }: FolderMutant) => `${path}#${key}`;
  const basisOf = ({ path }: FolderMutant, killer: Killer) =>
    killer === null ? all : `${hashes.get(path)} ${hashes.get(killer)}`;
  return {
    find(mutant) {
      const verdict = stored[keyOf(mutant)];
      return verdict?.basis === basisOf(mutant, verdict?.killer ?? null) ? verdict.killer : undefined;
    },
    add(mutant, killer) {
      kept[keyOf(mutant)] = { killer, basis: basisOf(mutant, killer) };
    },
    save() {
      mkdirSync(cache, { recursive: true });
      writeFileSync(file, JSON.stringify(kept, null, 1));
    },
  };
}
