import { readFileSync } from "node:fs";

/** Reads a file of the vectors that all languages share. */
export function readVectors<Vectors>(name: string): Vectors {
  return JSON.parse(readFileSync(new URL(`../../../vectors/${name}.json`, import.meta.url), "utf8"));
}
