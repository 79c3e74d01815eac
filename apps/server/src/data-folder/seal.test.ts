import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createSealer } from "./seal.ts";

const masterKey = Buffer.alloc(32, 7);
const sealer = createSealer(masterKey);
const SECRET = "svc_sk_日本 🙂";

describe("a sealed secret", () => {
  test("is opened under the same master key, and looks different each time", () => {
    const [one, two] = [sealer.seal(SECRET), sealer.seal(SECRET)];
    expect(one).not.toBe(two);
    expect([one, two].map((sealed) => createSealer(Buffer.from(masterKey)).open(sealed))).toEqual([
      SECRET,
      SECRET,
    ]);
  });

  test("stays shut under another master key", () => {
    expect(createSealer(randomBytes(32)).open(sealer.seal(SECRET))).toBeNull();
  });

  test.each([
    { name: "another version", alter: (sealed: string) => sealed.replace("v1", "v2") },
    { name: "an altered text", alter: (sealed: string) => `${sealed.slice(0, -2)}AA` },
    { name: "a shortened tag", alter: (sealed: string) => sealed.replace(/\.[^.]+(\.[^.]+)$/, ".AAAA$1") },
    { name: "a part too few", alter: (sealed: string) => sealed.split(".").slice(0, 3).join(".") },
    { name: "nothing", alter: () => "" },
  ])("with $name is not opened", ({ alter }) => {
    expect(sealer.open(alter(sealer.seal(SECRET)))).toBeNull();
  });
});

describe("a fingerprint", () => {
  test("is the same for the same text and master key only", () => {
    const mine = sealer.fingerprint("203.0.113.7");
    expect(createSealer(Buffer.from(masterKey)).fingerprint("203.0.113.7")).toBe(mine);
    expect(sealer.fingerprint("203.0.113.8")).not.toBe(mine);
    expect(createSealer(Buffer.alloc(32, 8)).fingerprint("203.0.113.7")).not.toBe(mine);
  });

  test("never changes: what is stored is found again by later versions", () => {
    // python3: PRK = hmac(b"\0"*32, key); OKM = hmac(PRK, b"assay fingerprint\x01"); hmac(OKM, b"203.0.113.7")
    expect(sealer.fingerprint("203.0.113.7")).toBe(
      "e2c5f79a2739ad5f4189f522a7177a1e24946faf6a6234bd14e00227a9c8e99e",
    );
  });
});
