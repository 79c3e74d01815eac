import type { MetricQuery, SampleQuery, UserBins, UserValues } from "@assay/domain";
import type { MetricColumns, QueryColumns } from "./metric-columns.ts";
import { binsSql } from "./user-values-sql.ts";

/**
 * The engine sends the users of a sample as records, smallest hashes first: hash (8 bytes, compared from the first
 * byte, so that records sort by it), length of the rest (4), and per metric, little endian:
 *
 * - mean: in the sample (1), y (8), y before (8)
 * - ratio: d, y, y before, d before (8 each); d is 0 outside the sample
 * - ordinal: in the sample (1), y (8)
 * - quantile: number of calls (4), 0 outside the sample; the lowest call's fine bin (4), and the step from each call's
 *   bin to the next: one byte, or 255 and 4 bytes
 *
 * A query that asks for users' ids has the length of the id (4) and the id before the metrics, and a binary metric's fields as
 * ordinal.
 */
const HEAD_BYTES = 12;
/** Added to bins: `reinterpretAsString` drops the highest byte of a number when it is 0. */
const BIN_OFFSET = 2 ** 31;
/** A step of this many bins or more does not fit in a byte. */
const LONG_STEP = 255;

/** Returns whether a query's sample carries every user's value of a metric: for a binary metric the sums say it all. */
export function hasVector({ kind }: MetricQuery, { withUserIds }: SampleQuery): boolean {
  return kind !== "binary" || withUserIds === true;
}

/** Returns whether a metric's sample includes values from before the first exposure. */
export function hasCovariate({ kind }: MetricQuery): boolean {
  return kind === "mean" || kind === "ratio";
}

/** Writes the aggregate that returns the records of at most `max_users` users of a group, in Base64. */
export function sampleSql(): string {
  const hash = bytes("sipHash64({experiment_id: String}, user_id)");
  const record = `concat(${hash}, ${bytes("toUInt32(length(record))")}, record)`;
  return `base64Encode(arrayStringConcat(groupArraySortedIf({max_users: UInt32})(${record}, sampled)))`;
}

/** Writes a user's column `record`, without the head. */
export function recordSql(used: QueryColumns, sample: SampleQuery): string {
  const id = sample.withUserIds ? [bytes("toUInt32(length(user_id))"), "user_id"] : [];
  const fields = used.columns.map((own) => (hasVector(own.metric, sample) ? fieldsSql(used, own) : "''"));
  return `concat('', ${[...id, ...fields].join(", ")}) AS record`;
}

function fieldsSql(used: QueryColumns, own: MetricColumns): string {
  const { metric, source } = own;
  const item = own.index + 1;
  const isIn = bytes(`toUInt8(ins[${item}])`);
  const y = bytes(`ys[${item}]`);
  const yBefore = bytes(`ifNull(pre_sum${source}, nan)`);
  const dBefore = bytes(`if(isNull(pre_sum${source}), nan, toFloat64(pre_count${source}))`);
  switch (metric.kind) {
    case "mean":
      return `${isIn}, ${y}, ${yBefore}`;
    case "ratio":
      return `${bytes(`if(ins[${item}], ds[${item}], 0.)`)}, ${y}, ${yBefore}, ${dBefore}`;
    case "binary":
    case "ordinal":
      return `${isIn}, ${y}`;
    case "quantile": {
      const bins = `if(ins[${item}], ${binsSql(used, own)}, [])`;
      const four = (value: string) => `reinterpretAsString(toUInt32(${value} + ${BIN_OFFSET}))`;
      const step = `if(step < ${LONG_STEP}, char(step), concat(char(${LONG_STEP}), ${four("step")}))`;
      const steps = `arrayStringConcat(arrayMap(step -> ${step}, arrayPopFront(arrayDifference(${bins}))))`;
      return `${bytes(`toUInt32(length(${bins}))`)}, if(empty(${bins}), '', concat(${four(`${bins}[1]`)}, ${steps}))`;
    }
  }
}

/** Keeps all bytes of a number, so that `concat` takes them unchanged. */
function bytes(value: string): string {
  return `reinterpretAsFixedString(${value})`;
}

/** The records of one group of users, sorted by hash. */
export interface SampleRecords {
  readonly view: DataView;
  readonly hashes: readonly bigint[];
  /** Where each record's rest begins. */
  readonly starts: readonly number[];
}

/** Finds the records in the output of `sampleSql`. */
export function parseSample(base64: string): SampleRecords {
  const buffer = Buffer.from(base64, "base64");
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  const hashes: bigint[] = [];
  const starts: number[] = [];
  for (let at = 0; at < view.byteLength; ) {
    hashes.push(view.getBigUint64(at, false));
    const start = at + HEAD_BYTES;
    starts.push(start);
    at = start + view.getUint32(at + 8, true);
  }
  return { view, hashes, starts };
}

/** Merges the records of several shards, sorted by hash. */
export function mergeSamples(groups: readonly SampleRecords[]): SampleRecords {
  if (groups.length === 1) return groups[0]!;
  const bytes = groups.map(({ view }) => Buffer.from(view.buffer, view.byteOffset, view.byteLength));
  const whole = Buffer.concat(bytes);
  let offset = 0;
  const records = groups.flatMap(({ view, hashes, starts }) => {
    const begin = offset;
    offset += view.byteLength;
    return hashes.map((hash, i) => ({ hash, start: begin + starts[i]! }));
  });
  records.sort((one, other) => (one.hash < other.hash ? -1 : Number(one.hash > other.hash)));
  return {
    view: new DataView(whole.buffer, whole.byteOffset, whole.byteLength),
    hashes: records.map(({ hash }) => hash),
    starts: records.map(({ start }) => start),
  };
}

/** Cuts the groups of one arm to `maxUsers` users in total: those with the smallest hashes. */
export function trimSamples(groups: readonly SampleRecords[], maxUsers: number): readonly SampleRecords[] {
  const users = groups.reduce((total, { hashes }) => total + hashes.length, 0);
  if (users <= maxUsers) return groups;
  const sorted = BigUint64Array.from(groups.flatMap(({ hashes }) => hashes)).sort();
  const limit = sorted[maxUsers] ?? 0n;
  return groups.map(({ view, hashes, starts }) => {
    const kept = hashes.filter((hash) => hash < limit).length;
    return { view, hashes: hashes.slice(0, kept), starts: starts.slice(0, kept) };
  });
}

type Samples = readonly (UserValues | UserBins | null)[];

/** Reads records into a vector per metric (null: has none). `caps` holds the pooled caps, which are not applied yet. */
export function decodeSample(
  { view, starts }: SampleRecords,
  columns: readonly MetricColumns[],
  { caps, sample }: { readonly caps: readonly (number | null)[]; readonly sample: SampleQuery },
): Samples {
  const readers = columns.map(({ metric }, i) =>
    hasVector(metric, sample) ? readerOf(metric, starts.length, caps[i] ?? null) : NO_VECTOR,
  );
  if (sample.withUserIds) return decodeWithIds({ view, starts }, readers);
  for (const start of starts) {
    let at = start;
    for (const reader of readers) at = reader.read(view, at);
  }
  return readers.map((reader) => reader.finish());
}

function decodeWithIds(
  { view, starts }: Pick<SampleRecords, "view" | "starts">,
  readers: readonly Reader[],
): Samples {
  const userIds = readers.map((): string[] => []);
  for (const start of starts) {
    const length = view.getUint32(start, true);
    const id = Buffer.from(view.buffer, view.byteOffset + start + 4, length).toString("utf8");
    let at = start + 4 + length;
    for (const [i, reader] of readers.entries()) {
      const before = reader.users();
      at = reader.read(view, at);
      if (reader.users() > before) userIds[i]!.push(id);
    }
  }
  return readers.map((reader, i) => {
    const vector = reader.finish();
    return vector && { ...vector, userIds: userIds[i]! };
  });
}

/** Reads one metric's part of each record. */
interface Reader {
  /** Reads the part that begins at `at`, and returns where it ends. */
  read(view: DataView, at: number): number;
  /** Counts the users read so far who are in the metric's sample. */
  users(): number;
  finish(): UserValues | UserBins | null;
}

const NO_VECTOR: Reader = { read: (_, at) => at, users: () => 0, finish: () => null };

function readerOf({ kind, cap }: MetricQuery, users: number, pooledCap: number | null): Reader {
  const highest = pooledCap ?? (typeof cap === "number" ? cap : Number.POSITIVE_INFINITY);
  switch (kind) {
    case "quantile":
      return binsReader();
    case "mean":
      return valuesReader(users, (view, at, add) => {
        const y = Math.min(view.getFloat64(at + 1, true), highest);
        const before = Math.min(view.getFloat64(at + 9, true), highest);
        if (view.getUint8(at) === 1) add(y, 1, before, Number.isNaN(before) ? Number.NaN : 1);
        return at + 17;
      });
    case "binary":
    case "ordinal":
      return valuesReader(users, (view, at, add) => {
        if (view.getUint8(at) === 1) add(view.getFloat64(at + 1, true), 1, Number.NaN, Number.NaN);
        return at + 9;
      });
    case "ratio":
      return valuesReader(users, (view, at, add) => {
        const float = (offset: number) => view.getFloat64(at + offset, true);
        if (float(0) > 0) add(float(8), float(0), float(16), float(24));
        return at + 32;
      });
  }
}

type AddValues = (y: number, d: number, preY: number, preD: number) => void;

function valuesReader(users: number, read: (view: DataView, at: number, add: AddValues) => number): Reader {
  const y = new Float64Array(users);
  const d = new Float64Array(users);
  const preY = new Float64Array(users);
  const preD = new Float64Array(users);
  let length = 0;
  const add: AddValues = (...values) => {
    [y[length], d[length], preY[length], preD[length]] = values;
    length += 1;
  };
  return {
    read: (view, at) => read(view, at, add),
    users: () => length,
    finish: () => ({
      type: "values",
      y: y.slice(0, length),
      d: d.slice(0, length),
      preY: preY.slice(0, length),
      preD: preD.slice(0, length),
    }),
  };
}

function binsReader(): Reader {
  let bins = new Int32Array(1024);
  let counts = new Uint32Array(1024);
  let length = 0;
  const offsets = [0];
  const add = (bin: number) => {
    if (length === bins.length) {
      const [oldBins, oldCounts] = [bins, counts];
      bins = new Int32Array(2 * length);
      counts = new Uint32Array(2 * length);
      bins.set(oldBins);
      counts.set(oldCounts);
    }
    bins[length] = bin;
    counts[length++] = 1;
  };
  return {
    read(view, begin) {
      const calls = view.getUint32(begin, true);
      let at = begin + 4;
      if (calls === 0) return at;
      let bin = view.getUint32(at, true) - BIN_OFFSET;
      at += 4;
      add(bin);
      for (let call = 1; call < calls; call++) {
        let step = view.getUint8(at++);
        if (step === LONG_STEP) {
          step = view.getUint32(at, true) - BIN_OFFSET;
          at += 4;
        }
        bin += step;
        if (step === 0) counts[length - 1]! += 1;
        else add(bin);
      }
      offsets.push(length);
      return at;
    },
    users: () => offsets.length - 1,
    finish: () => ({
      type: "bins",
      bins: bins.slice(0, length),
      counts: counts.slice(0, length),
      offsets: Uint32Array.from(offsets),
    }),
  };
}
