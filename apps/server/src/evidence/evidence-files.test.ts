import fc from "fast-check";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, test } from "vitest";
import { type EvidenceColumn, evidenceColumns } from "./evidence-columns.ts";
import { csvParts, parquetParts } from "./evidence-files.ts";

const HEAD = { arm: 'a,=1+1"\\,@x', "key,-2;|": -0.5, numbers: [1e21, -1e-7] };
const textOf = (parts: readonly Uint8Array[]) =>
  new TextDecoder().decode(Uint8Array.from(parts.flatMap((part) => [...part])));

const arms = ["=1+1", "+a", "-a", "@a", "\ta", 'with "quotes", and commas', "it's", "zoë"];
const columns: readonly EvidenceColumn[] = [
  { name: "arm", type: "STRING", data: arms },
  { name: "stratum", type: "INT32", data: arms.map((_, i) => i) },
  { name: "y", type: "DOUBLE", data: [0.1, -2.5e-300, null, 1e300, 0, 1 / 3, -7, 5e-324] },
];

describe("a CSV file of evidence", () => {
  test("keeps its head in one line, in which no text begins a cell of a spreadsheet", () => {
    const [line = ""] = textOf(csvParts(HEAD, columns)).split("\r\n");
    expect(JSON.parse(line.slice(2))).toEqual(HEAD);
    expect(line.split(/[,;|]/).filter((cell) => /^\s*[=+@]|^-\D/.test(cell))).toEqual([]);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (head) => {
        const [own = ""] = textOf(csvParts(head, [])).split("\r\n");
        expect(JSON.parse(own.slice(2))).toEqual(head);
        expect(own.slice(2)).not.toMatch(/[=+@;|-]/);
      }),
    );
  });

  test("writes numbers in full, and no text that a spreadsheet runs", () => {
    const lines = textOf(csvParts(HEAD, columns)).split("\r\n").slice(1, -1);
    expect(lines).toEqual([
      "arm,stratum,y",
      `"'=1+1",0,0.1`,
      `"'+a",1,-2.5e-300`,
      `"'-a",2,`,
      `"'@a",3,1e+300`,
      `"'\ta",4,0`,
      `"with ""quotes"", and commas",5,0.3333333333333333`,
      `"it's",6,-7`,
      "zoë,7,5e-324",
    ]);
  });

  test("has every line, in parts", () => {
    const data = Array.from({ length: 25_001 }, (_, i) => i);
    const parts = csvParts({}, [{ name: "n", type: "INT32", data }]);
    expect(parts.length).toBeGreaterThan(3);
    expect(textOf(parts)).toBe(`# {}\r\nn\r\n${data.map((n) => `${n}\r\n`).join("")}`);
  });
});

test("a Parquet file of evidence has the head and the same cells", async () => {
  const [bytes] = parquetParts(HEAD, columns);
  const file = bytes!.buffer;
  const { key_value_metadata: metadata = [] } = parquetMetadata(file);
  expect(JSON.parse(metadata.find(({ key }) => key === "assay")?.value ?? "")).toEqual(HEAD);
  const rows = await parquetReadObjects({ file });
  expect(rows).toEqual(arms.map((arm, i) => ({ arm, stratum: i, y: columns[2]!.data[i] })));
});

describe("the columns of evidence", () => {
  const place = { arm: "a", period: 0, stratum: 1 };
  const namesOf = (found: readonly EvidenceColumn[]) => found.map(({ name }) => name);
  const valuesOf = (found: readonly EvidenceColumn[], name: string) =>
    found.find((column) => column.name === name)?.data;

  test("have hashes in the place of users, equal for equal users under one key only", () => {
    const line = { ...place, weight: 2, score: 1, label: null };
    const calls = ["ann", "bob", "ann"].map((userId) => ({ ...line, userId }));
    const found = evidenceColumns({ type: "calls", lines: calls }, "key");
    expect(namesOf(found)).toEqual(["user", "arm", "period", "stratum", "weight", "score", "label"]);
    const [ann, bob, again] = valuesOf(found, "user") ?? [];
    expect(again).toBe(ann);
    expect(bob).not.toBe(ann);
    expect(ann).toMatch(/^[0-9a-f]{20}$/);
    expect(valuesOf(evidenceColumns({ type: "calls", lines: calls }, "other"), "user")).not.toContain(ann);
    expect(valuesOf(found, "label")).toEqual([null, null, null]);
    expect(valuesOf(found, "stratum")).toEqual([2, 2, 2]);
  });

  test("have nothing where nothing is known from before", () => {
    const line = { ...place, userId: "ann", y: 1, d: 2, preY: Number.NaN, preD: Number.NaN };
    const lines = [line, { ...line, preY: 3, preD: 4 }];
    const found = evidenceColumns({ type: "values", lines }, "key");
    expect(valuesOf(found, "pre_y")).toEqual([null, 3]);
    expect(valuesOf(found, "pre_d")).toEqual([null, 4]);
  });

  test("have a quantile's calls by bin", () => {
    const lines = [
      {
        ...place,
        userId: "ann",
        calls: [
          [-12, 3],
          [5, 1],
        ] as const,
      },
    ];
    expect(valuesOf(evidenceColumns({ type: "bins", lines }, "key"), "calls")).toEqual(["[[-12,3],[5,1]]"]);
  });
});
