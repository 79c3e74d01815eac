import { randomBytes } from "node:crypto";
import { installationBinding, keyBinding, type SealBinding, webhookBinding } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { createSealer } from "./seal.ts";

const masterKey = Buffer.alloc(32, 7);
const sealer = createSealer(masterKey);
const SECRET = "svc_sk_日本 🙂";
const BINDING = keyBinding("o1", "secret");
/** Sealed by the previous version under the same master key. */
const UNBOUND = "v1.gf4PWPQJDtZquGnd.pwJ_ctNp29zUN_Ti0zXcgQ._bImlfI8b_x1SeHgWHrSk8U3";

describe("a sealed secret", () => {
  test("is opened under the same master key, and looks different each time", () => {
    const [one, two] = [sealer.seal(SECRET, BINDING), sealer.seal(SECRET, BINDING)];
    expect(one).not.toBe(two);
    expect([one, two].map((sealed) => createSealer(Buffer.from(masterKey)).open(sealed, BINDING))).toEqual([
      SECRET,
      SECRET,
    ]);
  });

  test("stays shut under another master key", () => {
    expect(createSealer(randomBytes(32)).open(sealer.seal(SECRET, BINDING), BINDING)).toBeNull();
  });

  test.each([
    { name: "another version", alter: (sealed: string) => sealed.replace("v2", "v3") },
    { name: "its binding taken off", alter: (sealed: string) => sealed.replace("v2", "v1") },
    { name: "an altered text", alter: (sealed: string) => `${sealed.slice(0, -2)}AA` },
    { name: "a shortened tag", alter: (sealed: string) => sealed.replace(/\.[^.]+(\.[^.]+)$/, ".AAAA$1") },
    { name: "a part too few", alter: (sealed: string) => sealed.split(".").slice(0, 3).join(".") },
    { name: "nothing", alter: () => "" },
  ])("with $name is not opened", ({ alter }) => {
    expect(sealer.open(alter(sealer.seal(SECRET, BINDING)), BINDING)).toBeNull();
  });
});

describe("a sealed secret of", () => {
  const BINDINGS: readonly SealBinding[] = [
    ...["o1", "o2"].flatMap((org) => [
      keyBinding(org, "secret"),
      keyBinding(org, "publishable"),
      webhookBinding(org),
    ]),
    installationBinding("identity-key"),
    installationBinding("secret-key"),
    { purpose: "a,b", orgId: "c" },
    { purpose: "a", orgId: "b,c" },
  ];
  test.each(BINDINGS)("$purpose of $orgId opens for this alone", (binding) => {
    const sealed = sealer.seal(SECRET, binding);
    for (const other of BINDINGS)
      expect([other, sealer.open(sealed, other)]).toEqual([other, other === binding ? SECRET : null]);
  });
});

test("what the previous version sealed opens", () => {
  expect(sealer.open(UNBOUND, BINDING)).toBe(SECRET);
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
