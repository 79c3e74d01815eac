import { expect, test } from "vitest";
import { shortValues } from "./short-values.ts";

/** A name and a value that have so many characters together, the value as JSON. */
const sized = (name: string, characters: number) => [name, "v".repeat(characters - name.length - 2)] as const;

test("values of up to 500 characters are kept, with their names, in the order of the names", () => {
  const [kept, left] = [sized("b", 500), sized("c", 501)];
  expect(shortValues([left, kept, ["a", 7]])).toEqual({ a: 7, b: kept[1] });
  expect(Object.keys(shortValues([kept, ["a", 7]]))).toEqual(["a", "b"]);
});

test("as many are kept as fit into 6 KiB, three bytes for each character: a shorter one may follow", () => {
  const long = ["a", "b", "c", "d"].map((name) => sized(name, 500));
  // 2,048 characters fit.
  expect(Object.keys(shortValues([...long, sized("e", 48), sized("f", 4)]))).toEqual([
    "a",
    "b",
    "c",
    "d",
    "e",
  ]);
  expect(Object.keys(shortValues([...long, sized("e", 49), sized("f", 48)]))).toEqual([
    "a",
    "b",
    "c",
    "d",
    "f",
  ]);
});
