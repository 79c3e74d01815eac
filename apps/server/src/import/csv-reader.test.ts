import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFile } from "../test-support/read-file.ts";
import { UnreadableFile } from "./row-reader.ts";

const HEAD = "event_id,type,experiment_id,user_id,timestamp,prompt";
const row = (id: string, prompt = "p") => `${id},exposure,x,u,5,${prompt}`;
const lines = (...all: readonly string[]) => all.join("\n");
const read = (file: string | Buffer, cuts: readonly number[] = []) => {
  const { rows, faults } = readFile("csv", file, cuts);
  return {
    rows: rows.map(([line, event]) => [line, (event as { event_id: string }).event_id]),
    faults: faults.map(([line]) => line),
  };
};
const MIB = 1024 * 1024;

test("cells become the fields that the header names", () => {
  const { rows, unknownColumns } = readFile("csv", lines(`${HEAD},extra`, `${row("e1", '"a ""b"",\nc"')},9`));
  const event = { event_id: "e1", type: "exposure", experiment_id: "x", user_id: "u", timestamp: 5 };
  expect(rows).toEqual([[2, { ...event, prompt: 'a "b",\nc' }]]);
  expect(unknownColumns).toEqual(["extra"]);
});

describe("lines", () => {
  test.each([
    {
      name: "LF",
      file: lines(HEAD, row("a"), row("b")),
      rows: [
        [2, "a"],
        [3, "b"],
      ],
    },
    { name: "LF at the end", file: `${lines(HEAD, row("a"))}\n`, rows: [[2, "a"]] },
    {
      name: "CRLF",
      file: [HEAD, row("a"), row("b"), ""].join("\r\n"),
      rows: [
        [2, "a"],
        [3, "b"],
      ],
    },
    {
      name: "CR alone",
      file: [HEAD, row("a"), "", row("b", '"1\r2"'), row("c")].join("\r"),
      rows: [
        [2, "a"],
        [4, "b"],
        [6, "c"],
      ],
    },
    { name: "a byte order mark", file: `\ufeff${lines(HEAD, row("a"))}`, rows: [[2, "a"]] },
    {
      name: "blank lines",
      file: lines("", HEAD, "", "", row("a"), "", row("b"), "", ""),
      rows: [
        [5, "a"],
        [7, "b"],
      ],
    },
    {
      name: "blank CRLF lines",
      file: ["", HEAD, "", row("a"), "", row("b"), "", ""].join("\r\n"),
      rows: [
        [4, "a"],
        [6, "b"],
      ],
    },
    {
      name: "newlines inside quotes",
      file: lines(HEAD, row("a", '"1\n\n3"'), row("b")),
      rows: [
        [2, "a"],
        [5, "b"],
      ],
    },
    {
      name: "CRLF inside quotes",
      file: [HEAD, row("a", '"1\r\n2"'), row("b")].join("\r\n"),
      rows: [
        [2, "a"],
        [4, "b"],
      ],
    },
    {
      name: "a lone CR inside a file of LF",
      file: lines(HEAD, row("a", '"1\r2"'), row("b")),
      rows: [
        [2, "a"],
        [3, "b"],
      ],
    },
    { name: "a quoted header", file: lines(`"${HEAD.replaceAll(",", '","')}"`, row("a")), rows: [[2, "a"]] },
  ])("$name", ({ file, rows }) => {
    expect(read(file)).toEqual({ rows, faults: [] });
  });
});

describe("a malformed row is reported with its line, and the rows after it are read", () => {
  const bad = `${"x".repeat(MIB)}`;
  test.each([
    { name: "too few cells", broken: "a,b", faults: [3], next: 4 },
    { name: "too many cells", broken: row("z", "p,q"), faults: [3], next: 4 },
    { name: "text after a closing quote", broken: row("z", '"p"q'), faults: [3], next: 4 },
    { name: "a quote inside an unquoted cell", broken: row("z", 'p"q"'), faults: [3], next: 4 },
    { name: "a quote that is never closed", broken: row("z", '"p'), faults: [3], next: 4 },
    { name: "an unclosed quote inside an unquoted cell", broken: row("z", 'p"q'), faults: [3], next: 4 },
    { name: "metadata that is no JSON", broken: "z,exposure,x,u,5,", faults: [], next: 4 },
    { name: "a line over 1 MiB", broken: row("z", bad), faults: [3], next: 4 },
    { name: "a quoted value over 1 MiB", broken: row("z", `"${bad}"`), faults: [3], next: 4 },
  ])("$name", ({ name, broken, faults, next }) => {
    const file = lines(HEAD, row("a"), broken, row("b", '"1\n2"'), row("c"));
    const found = read(file);
    const rows = [[2, "a"], ...(faults.length === 0 ? [[3, "z"]] : []), [next, "b"], [next + 2, "c"]];
    expect({ name, ...found }).toEqual({ name, rows, faults });
  });

  test("of several lines: the line after its first is read as a row of its own", () => {
    const file = lines(HEAD, row("z", '"1\n2",q'), row("b"));
    expect(read(file)).toEqual({ rows: [[4, "b"]], faults: [2, 3] });
  });

  test("the last one with an unclosed quote", () => {
    expect(read(lines(HEAD, row("a"), row("z", '"p')))).toEqual({ rows: [[2, "a"]], faults: [3] });
    expect(read(lines(HEAD, row("z", '"p'), row("a"), ""))).toEqual({ rows: [[3, "a"]], faults: [2] });
  });

  test("a quote open over more than 1 MiB of good rows", () => {
    const good = Array.from({ length: 30_000 }, (_, index) =>
      row(`e${index}`, "some prompt of usual length"),
    );
    const found = read(lines(HEAD, row("z", '"p'), ...good));
    expect(found.faults).toEqual([2]);
    expect(found.rows).toEqual(good.map((_, index) => [index + 3, `e${index}`]));
  });

  test("a cell that must hold JSON", () => {
    const head = `${HEAD},metadata`;
    const deep = `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    const file = lines(
      head,
      `${row("a")},{}`,
      `${row("z")},{`,
      `${row("y")},"${deep.replaceAll('"', '""')}"`,
    );
    expect(readFile("csv", file).faults).toEqual([
      [3, "metadata must be a JSON object of at most 100 levels and 10,000 values."],
      [4, "metadata must be a JSON object of at most 100 levels and 10,000 values."],
    ]);
  });

  test("control characters, which JSON writes in six", () => {
    expect(read(lines(HEAD, row("z", "\u0001".repeat(MIB / 2)), row("a")))).toEqual({
      rows: [[3, "a"]],
      faults: [2],
    });
  });
});

test("a row that is not UTF-8 is reported, and the rows around it are read", () => {
  const latin1 = lines(HEAD, row("a", "é"), row("b"), row("c", '"é\nsecond line"'), row("d"));
  const { rows, faults } = readFile("csv", Buffer.from(latin1, "latin1"));
  expect(rows).toMatchObject([
    [3, { event_id: "b" }],
    [6, { event_id: "d" }],
  ]);
  expect(faults).toEqual([2, 4].map((line) => [line, expect.stringContaining("not UTF-8")]));
});

test.each([
  { name: "nothing", file: "", says: /no header/ },
  { name: "blank lines", file: "\n\n\r\n", says: /no header/ },
  {
    name: "a header without user_id",
    file: lines("event_id,type,experiment_id,timestamp", "a,b,c,1"),
    says: /lacks user_id/,
  },
  {
    name: "semicolons",
    file: HEAD.replaceAll(",", ";"),
    says: /Separate cells by commas, not by semicolons/,
  },
  { name: "a column twice", file: lines(`${HEAD},prompt`, row("a")), says: /prompt twice/ },
  { name: "a header with an open quote", file: lines(`${HEAD},"x`, row("a")), says: /header cannot be read/ },
  { name: "a header of 1 MiB", file: "x".repeat(MIB + 1), says: /header cannot be read/ },
])("the file cannot be read as a whole: $name", ({ file, says }) => {
  expect(() => readFile("csv", file)).toThrow(UnreadableFile);
  expect(() => readFile("csv", file)).toThrow(says);
});

test("a header alone is a file without rows", () => {
  expect(read(HEAD)).toEqual({ rows: [], faults: [] });
  expect(read(`${HEAD}\n\n`)).toEqual({ rows: [], faults: [] });
});

/** Writes a cell by RFC 4180. */
const quote = (value: string) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

const piece = fc.constantFrom(
  '"',
  '""',
  ",",
  "\n",
  "\r\n",
  "a",
  "é",
  "😀",
  "\ufeff",
  " ",
  "{}",
  "'",
  "\t",
  "0",
  "x,y",
);
const hostile = fc.array(piece, { maxLength: 8 }).map((parts) => `-${parts.join("")}`);
/** None of them has the header's number of cells, however its quotes happen to close. */
const broken = fc.constantFrom(
  "a",
  "a,b",
  `${row("z")},q`,
  'z"y',
  '"z"y',
  `${row("z")},1,2,3,4,5,6,7,8,"open`,
  'x"',
  `${row("z", '"p"q')}`,
);
const line = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("good" as const), prompt: hostile }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("broken" as const), text: broken }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("blank" as const) }) },
);

/** Lines that the text takes in a file whose lines end with LF, with or without CR. */
const linesOf = (text: string) => text.split("\n").length;

test("good rows among broken ones come out whole, with their lines, wherever the bytes are cut", () => {
  const files = fc.record({
    lines: fc.array(line, { maxLength: 30 }),
    newline: fc.constantFrom("\n", "\r\n"),
    mark: fc.constantFrom("", "\ufeff"),
    cuts: fc.array(fc.nat(4_000), { maxLength: 12 }),
  });
  fc.assert(
    fc.property(files, ({ lines: parts, newline, mark, cuts }) => {
      let at = 2;
      const expected: [number, string, string][] = [];
      const texts = [HEAD];
      for (const [index, part] of parts.entries()) {
        const text =
          part.kind === "good"
            ? row(`e${index}`, quote(part.prompt))
            : part.kind === "broken"
              ? part.text
              : "";
        if (part.kind === "good") expected.push([at, `e${index}`, part.prompt]);
        texts.push(text);
        at += linesOf(text);
      }
      const { rows, faults } = readFile("csv", mark + texts.join(newline), cuts);
      const ids = new Set(expected.map(([, id]) => id));
      const got = rows.map(([number, event]) => {
        const { event_id, prompt } = event as { event_id: string; prompt: string };
        return [number, event_id, prompt];
      });
      expect(got.filter(([, id]) => ids.has(id as string))).toEqual(expected);
      expect(got).toHaveLength(expected.length);
      expect(faults).toHaveLength(parts.filter(({ kind }) => kind === "broken").length);
    }),
    { numRuns: 1_000 },
  );
});

test("a NUL after a closed quote is the same fault, whichever rows come with its own", () => {
  const file = lines(HEAD, "é", '""\0é', "");
  const whole = readFile("csv", file);
  expect(whole.faults).toHaveLength(2);
  for (let cut = 0; cut < file.length; cut += 1) expect(readFile("csv", file, [cut])).toEqual(whole);
});

test("any bytes: nothing is thrown but a header's fault, and the cuts change nothing", () => {
  const bytes = fc.oneof(
    fc
      .array(fc.constantFrom('"', ",", "\n", "\r", "a", "\0", "é", row("e"), "\n"), { maxLength: 60 })
      .map((all) => Buffer.from(all.join(""))),
    fc.uint8Array({ maxLength: 300 }).map((all) => Buffer.from(all)),
  );
  fc.assert(
    fc.property(
      bytes,
      fc.array(fc.nat(500), { maxLength: 10 }),
      fc.constantFrom("\n", "\r\n", "\r"),
      (tail, cuts, newline) => {
        const file = Buffer.concat([Buffer.from(HEAD + newline), tail]);
        const whole = readFile("csv", file);
        expect(readFile("csv", file, cuts)).toEqual(whole);
        const found = [...whole.rows, ...whole.faults].map(([number]) => number);
        expect(new Set(found).size).toBe(found.length);
      },
    ),
    { numRuns: 1_000 },
  );
});
