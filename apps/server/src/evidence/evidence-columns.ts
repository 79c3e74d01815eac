import { createHmac } from "node:crypto";
import type { EvidenceLines } from "@assay/pipeline";

/** A column of a file: texts, or numbers that may be absent. */
export type EvidenceColumn =
  | { readonly name: string; readonly type: "STRING"; readonly data: readonly string[] }
  | { readonly name: string; readonly type: "INT32" | "DOUBLE"; readonly data: readonly (number | null)[] };

/** 80 bits: among a million users, two share a hash in one of two million files. */
const HASH_DIGITS = 20;

/** Lays out lines as columns. Users become hashes, which nobody can compute from an id without the key. */
export function evidenceColumns(evidence: EvidenceLines, hashKey: string): readonly EvidenceColumn[] {
  const hashes = new Map<string, string>();
  const hashOf = (userId: string) => {
    const known = hashes.get(userId);
    if (known !== undefined) return known;
    const hash = createHmac("sha256", hashKey).update(userId, "utf8").digest("hex").slice(0, HASH_DIGITS);
    hashes.set(userId, hash);
    return hash;
  };
  const { lines } = evidence;
  return [
    { name: "user", type: "STRING", data: lines.map(({ userId }) => hashOf(userId)) },
    { name: "arm", type: "STRING", data: lines.map(({ arm }) => arm) },
    { name: "period", type: "INT32", data: lines.map(({ period }) => period + 1) },
    { name: "stratum", type: "INT32", data: lines.map(({ stratum }) => stratum + 1) },
    ...ownColumns(evidence),
  ];
}

function ownColumns({ type, lines }: EvidenceLines): readonly EvidenceColumn[] {
  switch (type) {
    case "bins":
      return [{ name: "calls", type: "STRING", data: lines.map(({ calls }) => JSON.stringify(calls)) }];
    case "calls":
      return [
        { name: "weight", type: "DOUBLE", data: lines.map(({ weight }) => weight) },
        { name: "score", type: "DOUBLE", data: lines.map(({ score }) => score) },
        { name: "label", type: "DOUBLE", data: lines.map(({ label }) => label) },
      ];
    case "values": {
      const known = (value: number) => (Number.isNaN(value) ? null : value);
      return [
        { name: "y", type: "DOUBLE", data: lines.map(({ y }) => y) },
        { name: "d", type: "DOUBLE", data: lines.map(({ d }) => d) },
        { name: "pre_y", type: "DOUBLE", data: lines.map(({ preY }) => known(preY)) },
        { name: "pre_d", type: "DOUBLE", data: lines.map(({ preD }) => known(preD)) },
      ];
    }
  }
}
