import { canonicalPartials } from "@assay/stats";
import type { RowBinaryReader, RowBinaryWriter } from "../engine/row-binary.ts";
import { runsReader, runsWriter, type UnitRuns } from "./agent-runs.ts";
import {
  type FirstExposure,
  isTest,
  newUnit,
  sortedBins,
  type Unit,
  type UnitPast,
  type UnitValues,
  type ValueWeights,
  type Window,
} from "./unit.ts";

const FLAG = { exposed: 1, test: 2, testUser: 4, contaminated: 8 } as const;

/** What is stored for each unit. */
export interface UnitForm {
  readonly windows: readonly Window[];
  readonly pastSources: readonly number[];
  /** Whether units name their users. */
  readonly hasUsers: boolean;
}

/** Returns a function that appends a unit's values. Equal units give equal bytes, however many steps added them up. */
export function unitWriter(
  bytes: RowBinaryWriter,
  { windows, pastSources, hasUsers }: UnitForm,
): (unit: Unit) => void {
  const arms = new Map<string, number>();
  const addRuns = runsWriter(bytes);
  const addFirst = ({ at, eventId, arm, userKey }: FirstExposure) => {
    bytes.float64(at);
    if (hasUsers) bytes.float64(userKey);
    bytes.string(eventId);
    const known = arms.get(arm);
    bytes.count(known ?? arms.size);
    if (known !== undefined) return;
    arms.set(arm, arms.size);
    bytes.string(arm);
  };
  return (unit) => {
    const { hash, first } = unit;
    bytes.uint64(hash);
    bytes.uint8(
      FLAG.exposed * Number(first !== null) +
        FLAG.test * Number(first?.isTest === true) +
        FLAG.testUser * Number(unit.isTestUser) +
        FLAG.contaminated * Number(unit.isContaminated),
    );
    if (first !== null) addFirst(first);
    bytes.difference(unit.lastOutcomeAt - (first?.at ?? 0));
    bytes.count(unit.calls);
    if (unit.calls > 0)
      for (const at of [unit.firstCallAt, unit.lastCallAt]) bytes.difference(unit.lastOutcomeAt - at);
    // Metrics leave out such a unit for good: no later event changes that.
    if (isLeftOut(unit)) return;
    for (const count of [unit.early, unit.attributed, unit.conflicting]) bytes.count(count);
    for (let i = 0; i < windows.length; i++) addValues(bytes, unit.values[i]!, windows[i]!);
    if (unit.runs !== null) addRuns(unit.runs);
    for (const source of pastSources) {
      const count = unit.past?.counts[source] ?? 0;
      bytes.count(count);
      if (count > 0) bytes.float64(unit.past!.sums[source]!);
    }
  };
}

function addValues(bytes: RowBinaryWriter, values: UnitValues, { isPerCall }: Window): void {
  const { sum, count, isNonZero, weights } = values;
  bytes.count(count);
  if (count === 0) return;
  const partials = canonicalPartials(sum);
  bytes.count(2 * partials.length + Number(isNonZero));
  for (const partial of partials) bytes.float64(partial);
  if (weights !== null) addWeights(bytes, weights);
  if (!isPerCall) return;
  const bins = sortedBins(values);
  let last = 0;
  for (let i = 0; i < bins.length; ) {
    const bin = bins[i]!;
    let run = 1;
    while (bins[i + run] === bin) run += 1;
    bytes.difference(2 * (bin - last) + Number(run > 1));
    if (run > 1) bytes.count(run);
    last = bin;
    i += run;
  }
}

function addWeights(bytes: RowBinaryWriter, { sum, smallest, largest }: ValueWeights): void {
  const partials = canonicalPartials(sum);
  bytes.count(partials.length);
  for (const number of [...partials, smallest, largest]) bytes.float64(number);
}

/** Returns a function that reads what `unitWriter` appended, unit by unit. */
export function unitReader(bytes: RowBinaryReader, form: UnitForm): () => Unit {
  const arms: string[] = [];
  const readRuns = runsReader(bytes);
  return () => readUnit(bytes, form, { arms, readRuns });
}

interface ReadSoFar {
  readonly arms: string[];
  readonly readRuns: () => UnitRuns;
}

function readUnit(
  bytes: RowBinaryReader,
  { windows, pastSources, hasUsers }: UnitForm,
  { arms, readRuns }: ReadSoFar,
): Unit {
  const hash = bytes.uint64();
  const flags = bytes.uint8();
  const unit = newUnit({ hash, userId: "", isTestUser: (flags & FLAG.testUser) !== 0 }, windows);
  unit.isContaminated = (flags & FLAG.contaminated) !== 0;
  if ((flags & FLAG.exposed) !== 0) {
    const [at, userKey] = [bytes.float64(), hasUsers ? bytes.float64() : 0];
    const [eventId, index] = [bytes.string(), bytes.count()];
    arms[index] ??= bytes.string();
    unit.first = { at, userKey, eventId, arm: arms[index], isTest: (flags & FLAG.test) !== 0 };
  }
  unit.lastOutcomeAt = bytes.difference() + (unit.first?.at ?? 0);
  unit.calls = bytes.count();
  if (unit.calls > 0) {
    unit.firstCallAt = unit.lastOutcomeAt - bytes.difference();
    unit.lastCallAt = unit.lastOutcomeAt - bytes.difference();
  }
  if (isLeftOut(unit)) return unit;
  [unit.early, unit.attributed, unit.conflicting] = [bytes.count(), bytes.count(), bytes.count()];
  for (let i = 0; i < windows.length; i++) readValues(bytes, unit.values[i]!, windows[i]!);
  if (unit.runs !== null) for (const [key, run] of readRuns()) unit.runs.set(key, run);
  unit.past = readPast(bytes, pastSources);
  return unit;
}

function readPast(bytes: RowBinaryReader, sources: readonly number[]): UnitPast | null {
  const past: { sums: number[]; counts: number[] } = { sums: [], counts: [] };
  for (const source of sources) {
    const count = bytes.count();
    past.counts[source] = count;
    past.sums[source] = count > 0 ? bytes.float64() : Number.NaN;
  }
  return past.counts.some((count) => count > 0) ? past : null;
}

function readValues(bytes: RowBinaryReader, values: UnitValues, { isPerCall }: Window): void {
  values.count = bytes.count();
  if (values.count === 0) return;
  const partials = bytes.count();
  values.isNonZero = partials % 2 === 1;
  for (let i = 0; i < Math.floor(partials / 2); i++) values.sum.push(bytes.float64());
  if (values.weights !== null) readWeights(bytes, values.weights);
  let bin = 0;
  while (isPerCall && values.bins.length < values.count) {
    const step = bytes.difference();
    bin += Math.floor(step / 2);
    for (let left = step % 2 === 0 ? 1 : bytes.count(); left > 0; left--) values.bins.push(bin);
  }
}

function readWeights(bytes: RowBinaryReader, weights: ValueWeights): void {
  for (let left = bytes.count(); left > 0; left--) weights.sum.push(bytes.float64());
  weights.smallest = bytes.float64();
  weights.largest = bytes.float64();
}

function isLeftOut(unit: Unit): boolean {
  return unit.isContaminated || isTest(unit);
}
