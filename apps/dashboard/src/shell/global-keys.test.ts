import { expect, test } from "vitest";
import { EVERYWHERE, type HeardKey, hearKey, type PressedKey } from "./global-keys.ts";

const press = (key: string, change: Partial<PressedKey> = {}): PressedKey => ({
  ...{ key, at: 1_000, isFree: true },
  ...change,
});
const go = (to: string) => ({ gAt: null, does: { kind: "go", to } });
const NOTHING: HeardKey = { gAt: null, does: null };
const LIST: HeardKey = { gAt: null, does: { kind: "list" } };

test.each([
  { name: "G waits for another key", gAt: null, pressed: press("g"), heard: { gAt: 1_000, does: null } },
  { name: "G E", gAt: 900, pressed: press("e"), heard: go("/") },
  { name: "G C", gAt: 900, pressed: press("c"), heard: go("/calls") },
  { name: "G J", gAt: 900, pressed: press("j"), heard: go("/judges") },
  { name: "G M", gAt: 900, pressed: press("m"), heard: go("/catalogue") },
  { name: "G U", gAt: 900, pressed: press("u"), heard: go("/usage") },
  { name: "G A", gAt: 900, pressed: press("a"), heard: go("/audit") },
  { name: "G S with the capital lock", gAt: 900, pressed: press("S"), heard: go("/settings") },
  { name: "a page's key alone", gAt: null, pressed: press("s"), heard: NOTHING },
  { name: "a key long after G", gAt: -501, pressed: press("e"), heard: NOTHING },
  { name: "a key just in time", gAt: -500, pressed: press("e"), heard: go("/") },
  { name: "another key after G", gAt: 900, pressed: press("x"), heard: NOTHING },
  { name: "G again", gAt: 900, pressed: press("g"), heard: { gAt: 1_000, does: null } },
  { name: "the list of keys", gAt: null, pressed: press("?"), heard: LIST },
  { name: "the list of keys after G", gAt: 900, pressed: press("?"), heard: LIST },
  { name: "typing", gAt: 900, pressed: press("e", { isFree: false }), heard: NOTHING },
  { name: "typing a G", gAt: null, pressed: press("g", { isFree: false }), heard: NOTHING },
  { name: "typing a question", gAt: null, pressed: press("?", { isFree: false }), heard: NOTHING },
])("hearKey: $name", ({ gAt, pressed, heard }) => expect(hearKey(gAt, pressed)).toEqual(heard));

test("every key is listed once", () => {
  const keys = EVERYWHERE.rows.map(([key]) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).toEqual(["G E", "G C", "G J", "G M", "G U", "G A", "G S", "/", "?"]);
});
