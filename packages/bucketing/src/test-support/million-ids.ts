// The ids of vectors/million-ids.json, whose description defines them.

/** The random draws of the ids. */
export function makeDraw(): (n: number) => number {
  let x = 0x9e3779b9;
  return (n) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % n;
  };
}

/** The UTF-16 code units of the id at this index; the ids before it have been drawn. */
export function unitsOf(i: number, below: (n: number) => number): readonly number[] {
  const many = (length: number, unit: () => number) => Array.from({ length }, unit);
  const letter = () => 97 + below(26);
  switch (i % 8) {
    case 0:
      return Array.from(`user-${i}`, (character) => character.charCodeAt(0));
    case 1:
      return many(32, () => "0123456789abcdef".charCodeAt(below(16)));
    case 2:
      return many(1 + below(40), () => 32 + below(95));
    case 3:
      return many(1 + below(20), () => 0xa0 + below(0xd760));
    case 4:
      return many(1 + below(10), () => below(0x100000)).flatMap((p) => [
        0xd800 + (p >> 10),
        0xdc00 + (p & 0x3ff),
      ]);
    case 5:
      return many(1 + below(16), () => below(0x10000));
    case 6: {
      const units = many(1 + below(12), letter);
      const at = below(units.length);
      return units.with(at, 0xd800 + below(0x800));
    }
    default:
      return [...many((i % 256 === 7 ? 200 + below(1801) : 40 + below(20)) - 1, letter), 0xe9];
  }
}

/** The first `count` ids that are short enough for an event. */
export function millionIds(count: number): readonly string[] {
  const below = makeDraw();
  const ids: string[] = [];
  for (let i = 0; ids.length < count; i++) {
    const id = String.fromCharCode(...unitsOf(i, below));
    if (id.length <= 256) ids.push(id);
  }
  return ids;
}
