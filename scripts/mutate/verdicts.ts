import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Folder, type FolderMutant, hashOf } from "./load-folder.ts";

/** What noticed a mutant: a test file, "stopped" when the mutant ended its process, or null for nothing. */
export type Killer = string | null;

interface Stored {
  readonly killer: Killer;
  /** Hash of what the verdict depends on. */
  readonly basis: string;
}

/** Verdicts of earlier runs that are still valid, stored in .cache/mutate. */
export interface Verdicts {
  find(mutant: FolderMutant): Killer | undefined;
  add(mutant: FolderMutant, killer: Killer): void;
  save(): void;
}

/**
 * Opens the verdicts of a folder. "Noticed by a test" is valid until the mutant's source file or that test changes.
 * "Survived" is valid until anything in the folder changes.
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
