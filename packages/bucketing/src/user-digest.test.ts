import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { userDigest } from "./bucket.ts";

interface DigestCase {
  readonly salt: string;
  readonly experiment_id: string;
  readonly user_id?: string;
  readonly user_utf16?: readonly number[];
  readonly digest: string;
}

const vectors = new URL("../../../vectors/qa-users.json", import.meta.url);
const { digests } = JSON.parse(readFileSync(vectors, "utf8")) as { digests: DigestCase[] };

test.each(digests)("qa-users.json: $digest", ({ salt, experiment_id: id, user_id, user_utf16, digest }) =>
  expect(userDigest({ salt, id }, user_id ?? String.fromCharCode(...user_utf16!))).toBe(digest),
);
