/** A generator of numbers from 0 to 1. */
type Random = () => number;

/** Values that decoders stumble over, as JSON. */
const ODD_JSON = [
  ...["null", "true", "-1", "1e400", "-0", "9".repeat(400), '"NaN"', '"9223372036854775808"', '"-1"'],
  ...['""', '"\\u0000"', '"\\ud800"', `"${"x".repeat(100_000)}"`, "[]", "{}", "[[],[{}]]", '{"__proto__":1}'],
  ...[`${"[".repeat(30)}${"]".repeat(30)}`, '{"arrayValue":{"values":[{"arrayValue":{}},7,null]}}'],
  ...['{"kvlistValue":{"values":[{"key":"__proto__","value":{"stringValue":"x"}},{}]}}'],
];
/** A value of JSON that has no other within it, with what precedes it. */
const LEAF = /([:[,])("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false)(?=[,\]}])/g;

/** Changes a body in one or two ways. */
export function mutate(body: Buffer, encoding: "json" | "protobuf", random: Random): Buffer {
  let changed = Buffer.from(body);
  const changes = encoding === "json" ? [oddValue, oddValue, cut, flip] : BINARY;
  for (let times = 1 + Math.floor(2 * random()); times > 0 && changed.length > 0; times--)
    changed = (changes[Math.floor(random() * changes.length)] as Change)(changed, random);
  return changed;
}

type Change = (body: Buffer, random: Random) => Buffer<ArrayBuffer>;

const at = (body: Buffer, random: Random) => Math.floor(random() * body.length);
const cut: Change = (body, random) => Buffer.from(body.subarray(0, at(body, random)));

const flip: Change = (body, random) => {
  const changed = Buffer.from(body);
  changed[at(body, random)] = Math.floor(256 * random());
  return changed;
};

function oddValue(body: Buffer, random: Random): Buffer<ArrayBuffer> {
  const text = body.toString("utf8");
  const leaves = [...text.matchAll(LEAF)];
  const leaf = leaves[Math.floor(random() * leaves.length)];
  if (leaf === undefined) return Buffer.from(body);
  const start = leaf.index + (leaf[1] ?? "").length;
  const odd = ODD_JSON[Math.floor(random() * ODD_JSON.length)];
  return Buffer.from(text.slice(0, start) + odd + text.slice(leaf.index + leaf[0].length));
}

const inserted =
  (bytes: (random: Random) => Buffer): Change =>
  (body, random) => {
    const place = at(body, random);
    return Buffer.concat([body.subarray(0, place), bytes(random), body.subarray(place)]);
  };

const BINARY: readonly Change[] = [
  flip,
  cut,
  // A number of more than 64 bits, or without an end.
  inserted(() => Buffer.alloc(11, 0xff)),
  // Another wire type, or number of a field.
  (body, random) => {
    const changed = Buffer.from(body);
    const place = at(body, random);
    changed[place] = (changed[place] ?? 0) ^ (1 + Math.floor(7 * random()));
    return changed;
  },
  // A length of gigabytes.
  inserted(() => Buffer.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f)),
  // Not UTF-8.
  inserted(() => Buffer.of(0xc3, 0x28, 0xed, 0xa0, 0x80)),
  // The largest numbers and not-a-number.
  inserted((random) => Buffer.alloc(8, random() < 0.5 ? 0xff : 0x7f)),
  // Ids and everything else twice.
  (body) => Buffer.concat([body, body]),
  // A part of it within itself.
  inserted(() => Buffer.of(0x0a, 0x02, 0x12, 0x00)),
  (body, random) => Buffer.concat([body.subarray(at(body, random)), body.subarray(0, at(body, random))]),
];

const repeated = (field: number, times: number) => Buffer.alloc(2 * times, Buffer.of(field * 8 + 2, 0));

/** A message's field. */
function field(number: number, content: Buffer): Buffer {
  const length: number[] = [];
  for (let rest = content.length; ; rest = Math.floor(rest / 128)) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.of(number * 8 + 2, ...length), content]);
}

const MIB = 1024 * 1024;
const inScopes = (content: Buffer) => field(1, field(2, content));
const json = (text: string) => ({ encoding: "json", body: Buffer.from(text) }) as const;
const binary = (body: Buffer) => ({ encoding: "protobuf", body }) as const;

/** Bodies that are small for what they would cost, none of which may be taken. The last two are larger than a body may be. */
export const BOMBS: readonly { readonly encoding: "json" | "protobuf"; readonly body: Buffer }[] = [
  binary(inScopes(repeated(2, 2 * MIB))),
  binary(field(1, repeated(2, 2 * MIB))),
  binary(inScopes(field(2, repeated(9, 2 * MIB)))),
  binary(inScopes(field(2, repeated(11, 2 * MIB)))),
  binary(Buffer.alloc(4 * MIB, 0x0b)),
  binary(inScopes(field(2, field(9, Buffer.concat([field(1, Buffer.from("a")), field(2, nested(5_000))]))))),
  json("[".repeat(4 * MIB)),
  json(`{"resourceSpans":${'[{"scopeSpans":'.repeat(100_000)}`),
  json(`{"resourceSpans":[{"scopeSpans":[{"spans":[${"{},".repeat(200_000)}{}]}]}]}`),
  json(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[${"{},".repeat(200_000)}{}]}]}]}`),
  json(`{"resourceSpans":[${"0,".repeat(2 * MIB)}0]}`),
  json("1".repeat(4 * MIB)),
  json(" ".repeat(50 * MIB)),
  binary(Buffer.alloc(50 * MIB)),
];

/** An `AnyValue` with lists within lists. */
function nested(levels: number): Buffer {
  let value = field(1, Buffer.from("x"));
  for (let level = 0; level < levels; level++) value = field(5, field(1, value));
  return value;
}
