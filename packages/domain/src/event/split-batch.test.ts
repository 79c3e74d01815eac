import fc from "fast-check";
import { expect, test } from "vitest";
import { nullsBeforeReady, rowsOfBody } from "./read-batch.ts";
import { MOST_ROWS, parsePart, splitBatch } from "./split-batch.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** A batch's content when each part is parsed separately. */
function readInParts(text: string) {
  const json = bytes(text);
  const { rows, others } = splitBatch(json);
  const rest = Object.fromEntries([...others].map(([name, part]) => [name, parsePart(json, part)]));
  return { rows: rows?.map((part) => parsePart(json, part)) ?? null, nulls: nullsBeforeReady(rest) };
}

function readWhole(text: string) {
  const body: unknown = JSON.parse(text);
  return { rows: rowsOfBody(body), nulls: nullsBeforeReady(body) };
}

const row = fc.jsonValue({ maxDepth: 3 });
const client = fc.record({ null_before_ready: fc.integer() });
const batch = fc.oneof(
  fc.array(row),
  fc.record({ events: fc.array(row), client }, { requiredKeys: [] }),
  fc.record({ client, other: row, events: row }),
  row,
);

test("a body read in parts has the same rows as read at once", () => {
  fc.assert(
    fc.property(batch, fc.constantFrom(undefined, 1, "\t"), (body, indent) => {
      const text = JSON.stringify(body, null, indent);
      const { rows, nulls } = readWhole(text);
      expect(readInParts(` ${text}\r\n`)).toEqual({ rows, nulls: rows === null ? expect.anything() : nulls });
    }),
  );
});

test.each(['"text"', "7", "null", "[]", "{}"])("nothing may follow %s", (body) => {
  expect(() => splitBatch(bytes(`${body} `))).not.toThrow();
  expect(() => splitBatch(bytes(`${body}, 7`))).toThrow("something follows its end");
});

test("an object ends as it began", () => {
  for (const body of ['{"client":1]', '{"client":1,"events":[]]', '{"events":[] "client":1}'])
    expect(() => splitBatch(bytes(body))).toThrow("an object does not end");
});

test("if all parts are JSON, the whole body is JSON and has the same rows", () => {
  const damage = fc.record({
    at: fc.nat(),
    cut: fc.nat({ max: 3 }),
    put: fc.constantFrom("", ",", "]", "}", "[", "{", '"', "1", " ", ":", "\\", "\n"),
  });
  fc.assert(
    fc.property(batch, damage, (body, { at, cut, put }) => {
      const text = JSON.stringify(body);
      const from = at % (text.length + 1);
      const damaged = text.slice(0, from) + put + text.slice(from + cut);
      let parts: ReturnType<typeof readInParts>;
      try {
        parts = readInParts(damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
        return;
      }
      if (parts.rows !== null) expect(parts.rows).toEqual(readWhole(damaged).rows);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  { text: "", rows: null },
  { text: "5", rows: null },
  { text: '"events"', rows: null },
  { text: "{}", rows: null },
  { text: '{"events":{}}', rows: null },
  { text: "[]", rows: [] },
  { text: ' { "events" : [ ] , "client" : {} } ', rows: [] },
  { text: String.raw`{"\u0065vents":[1,"],[",{"a":"}"}]}`, rows: [1, "],[", { a: "}" }] },
])("$text has the rows $rows", ({ text, rows }) => expect(readInParts(text).rows).toEqual(rows));

test.each([
  "[1] 2",
  "[1",
  "[1,]",
  "[1}",
  "[,1]",
  "[1 2]",
  "{1:[]}",
  '{"events" [1]}',
  '{"events":[1] 2}',
  '{"events":[1],}',
  '{"events":[1]',
  '{"events":[1]]',
  '{"events":[1]} x',
  '{"events',
  '{"\\x":[1]}',
  '{"events":[1],"events":[2]}',
  '{"events":[1],"events":2}',
  '{"events":2,"events":[1]}',
  '{"client":1,"client":2}',
  `{${Array.from({ length: 101 }, (_, i) => `"${i}":0`)}}`,
])("%s is refused", (text) => expect(() => readInParts(text)).toThrow(SyntaxError));

test.each(["[*]", '{"events":[*]}'])("at most one excess row of %s is read", (form) => {
  const { rows } = splitBatch(bytes(form.replace("*", "0,".repeat(1_000_000))));
  expect(rows).toHaveLength(MOST_ROWS + 1);
});

test("a row that exceeds a limit says so, and the others are unaffected", () => {
  const json = bytes(`[1,${"[".repeat(101)}${"]".repeat(101)},{"a":2}]`);
  const { rows } = splitBatch(json);
  expect(rows?.map(({ excess }) => excess)).toEqual([null, "has more than 100 levels: nest less.", null]);
  expect(parsePart(json, rows?.[2] ?? { start: 0, end: 0 })).toEqual({ a: 2 });
});
