import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Instrumented, instrument, type Mutant } from "./instrument.ts";

/** A mutant of a folder. */
export interface FolderMutant extends Mutant {
  /** Number among all mutants of the folder. */
  readonly id: number;
  /** Its source file, from the root of the repository. */
  readonly path: string;
  /** A label with the source file, line and change. */
  readonly name: string;
}

/** A folder's sources with their mutants, and its tests. */
export interface Folder {
  readonly folder: string;
  readonly mutants: readonly FolderMutant[];
  /** The text with mutants, by path. */
  readonly sources: ReadonlyMap<string, string>;
  readonly testFiles: readonly string[];
  /** By path, for sources and tests. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** Price tables copied from a source are not mutated: tests could only repeat them. */
const DATA = ["packages/domain/src/price/built-in-prices.ts"];

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Reads a folder and finds the mutants of its sources. */
export function loadFolder(root: string, folder: string): Folder {
  const paths = globSync(`${folder}/**/*.ts`, {
    cwd: root,
    exclude: (path) => /node_modules|\/dist$/.test(path),
  });
  const texts = new Map(paths.sort().map((path) => [path, readFileSync(join(root, path), "utf8")]));
  const mutants: FolderMutant[] = [];
  const sources = new Map<string, string>();
  for (const [path, text] of texts) {
    if (/\.test\.ts$|\/test-support\//.test(path) || DATA.includes(path)) continue;
    const file: Instrumented = instrument(text, true);
    sources.set(path, file.render(mutants.length));
    const firstId = mutants.length;
    for (const mutant of file.mutants)
      mutants.push({
        ...mutant,
        id: firstId + mutant.index,
        path,
        name: `${path}:${mutant.line}  ${mutant.change}`,
      });
  }
  return {
    folder,
    mutants,
    sources,
    testFiles: paths.filter((path) => path.endsWith(".test.ts")),
    hashes: new Map([...texts].map(([path, text]) => [path, hashOf(text)])),
  };
}

/** The mutants in the form that a lane needs. */
export function toJobs(chosen: readonly FolderMutant[], { mutants }: Folder) {
  const places = Map.groupBy(mutants, ({ path }) => path);
  const placesOf = new Map([...places].map(([path, own]) => [path, own.map((mutant) => placeOf(mutant))]));
  return chosen.map((mutant) => ({
    id: mutant.id,
    place: placeOf(mutant),
    path: mutant.path,
    places: [...new Set(placesOf.get(mutant.path))],
    ownTest: `/${basename(mutant.path, ".ts")}.test.ts`,
  }));
}

const placeOf = ({ id, index, place }: FolderMutant): number => id - index + place;
