import { expect, test } from "vitest";
import { numberList, push, RowBinaryReader, RowBinaryWriter } from "./row-binary.ts";

test("reads the values of a row in order", () => {
  const list = numberList();
  const long = Array.from({ length: 300 }, (_, i) => i / 7);
  const rows = new RowBinaryReader(
    Buffer.concat([
      Buffer.from([5]),
      Buffer.from([1, 2]),
      bytesOf(new BigUint64Array([2n ** 64n - 1n])),
      bytesOf(new Float64Array([-0.1])),
      Buffer.from([4, ...Buffer.from("zoë")]),
      Buffer.from([3, 1, 0, 7]),
      Buffer.from([0]),
      Buffer.from([(300 % 128) | 128, Math.floor(300 / 128)]),
      bytesOf(Float64Array.from(long)),
    ]),
  );
  expect(rows.uint8()).toBe(5);
  expect([...rows.bytes(2)]).toEqual([1, 2]);
  expect(rows.uint64()).toBe(2n ** 64n - 1n);
  expect(rows.float64()).toBe(-0.1);
  expect(rows.string()).toBe("zoë");
  expect([...rows.bytes(rows.count())]).toEqual([1, 0, 7]);
  expect(rows.position).toBe(28);
  push(list, 9);
  rows.float64s(list);
  expect(list.length).toBe(0);
  expect(rows.isAtEnd()).toBe(false);
  rows.float64s(list);
  expect([...list.numbers.subarray(0, list.length)]).toEqual(long);
  expect(rows.isAtEnd()).toBe(true);
});

test("writes differences of either sign as it reads them", () => {
  const differences = [0, 1, -1, 63, -64, 64, 2 ** 31, -(2 ** 31), 2 ** 51, -(2 ** 51)];
  const bytes = new RowBinaryWriter();
  for (const difference of differences) bytes.difference(difference);
  const rows = new RowBinaryReader(bytes.finish());
  expect(differences.map(() => rows.difference())).toEqual(differences);
  expect(rows.isAtEnd()).toBe(true);
});

function bytesOf(numbers: BigUint64Array | Float64Array): Buffer {
  return Buffer.from(numbers.buffer);
}
