import { canonicalPartials } from "@assay/stats";
import { isTest, newUnit, type Unit, type UnitValues, type Window } from "./unit.ts";
import type { FirstExposure } from "./user-row.ts";

/** Named in the shape of a state: one that was written in another layout is made anew. */
export const LAYOUT = 1;

const FLAG = { exposed: 1, test: 2, testUser: 4, contaminated: 8 } as const;

/** Writes units as bytes: equal units, in whatever steps they were added up, are equal bytes. */
export class UnitWriter {
  readonly #windows: readonly Window[];
  readonly #arms = new Map<string, number>();
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #at = 0;

  constructor(windows: readonly Window[]) {
    this.#windows = windows;
  }

  /** Adds a unit. What metrics leave out, no later event brings back: it is not written. */
  add(unit: Unit): void {
    const { hash, first } = unit;
    this.#reserve(8);
    this.#bytes.writeBigUInt64LE(hash, this.#at);
    this.#at += 8;
    this.#byte(
      FLAG.exposed * Number(first !== null) +
        FLAG.test * Number(first?.isTest === true) +
        FLAG.testUser * Number(unit.isTestUser) +
        FLAG.contaminated * Number(unit.isContaminated),
    );
    if (first !== null) this.#first(first);
    this.#float64(unit.lastOutcomeAt);
    this.#count(unit.calls);
    if (unit.calls > 0) for (const at of [unit.firstCallAt, unit.lastCallAt]) this.#float64(at);
    if (isLeftOut(unit)) return;
    for (const count of [unit.early, unit.attributed, unit.conflicting]) this.#count(count);
    for (const [i, values] of unit.values.entries()) this.#values(values, this.#windows[i]!);
  }

  /** Returns what was written. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #first({ at, eventId, arm, armKey }: FirstExposure): void {
    this.#float64(at);
    this.#string(eventId);
    const known = this.#arms.get(arm);
    this.#count(known ?? this.#arms.size);
    if (known !== undefined) return;
    this.#arms.set(arm, this.#arms.size);
    this.#string(arm);
    this.#float64(armKey);
  }

  #values({ sum, count, isNonZero, bins }: UnitValues, { isPerCall }: Window): void {
    this.#count(count);
    if (count === 0) return;
    const partials = canonicalPartials(sum);
    this.#count(2 * partials.length + Number(isNonZero));
    for (const partial of partials) this.#float64(partial);
    if (!isPerCall) return;
    let last = 0;
    let run = 0;
    const sorted = bins.toSorted((a, b) => a - b);
    for (const [i, bin] of sorted.entries()) {
      run += 1;
      if (bin === sorted[i + 1]) continue;
      this.#count(zigzag(bin - last));
      this.#count(run);
      last = bin;
      run = 0;
    }
  }

  #string(text: string): void {
    const length = Buffer.byteLength(text);
    this.#count(length);
    this.#reserve(length);
    this.#at += this.#bytes.write(text, this.#at);
  }

  #float64(value: number): void {
    this.#reserve(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  /** A whole number with 7 bits per byte, lowest first; the highest bit means that more follow. */
  #count(count: number): void {
    let rest = count;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#byte(128 + (rest % 128));
    this.#byte(rest);
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = byte;
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.#bytes.length + length));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}

/** Reads the units that a `UnitWriter` with the same windows wrote. */
export function readUnits(bytes: Buffer, windows: readonly Window[]): Unit[] {
  const arms: Pick<FirstExposure, "arm" | "armKey">[] = [];
  let at = 0;
  const byte = () => bytes[at++]!;
  const float64 = () => {
    at += 8;
    return bytes.readDoubleLE(at - 8);
  };
  const count = () => {
    let total = 0;
    for (let factor = 1; ; factor *= 128) {
      const next = byte();
      total += (next & 127) * factor;
      if (next < 128) return total;
    }
  };
  const string = () => {
    const length = count();
    at += length;
    return bytes.toString("utf8", at - length, at);
  };
  const first = (isTestExposure: boolean): FirstExposure => {
    const [exposedAt, eventId, index] = [float64(), string(), count()];
    arms[index] ??= { arm: string(), armKey: float64() };
    return { at: exposedAt, eventId, ...arms[index], isTest: isTestExposure };
  };
  const readValues = (values: UnitValues, { isPerCall }: Window) => {
    values.count = count();
    if (values.count === 0) return;
    const partials = count();
    values.isNonZero = partials % 2 === 1;
    for (let i = 0; i < Math.floor(partials / 2); i++) values.sum.push(float64());
    let bin = 0;
    while (isPerCall && values.bins.length < values.count) {
      bin += unzigzag(count());
      for (let left = count(); left > 0; left--) values.bins.push(bin);
    }
  };
  const units: Unit[] = [];
  while (at < bytes.length) {
    const hash = bytes.readBigUInt64LE(at);
    at += 8;
    const flags = byte();
    const unit = newUnit({ hash, userId: "", isTestUser: (flags & FLAG.testUser) !== 0 }, windows);
    unit.isContaminated = (flags & FLAG.contaminated) !== 0;
    if ((flags & FLAG.exposed) !== 0) unit.first = first((flags & FLAG.test) !== 0);
    unit.lastOutcomeAt = float64();
    unit.calls = count();
    if (unit.calls > 0) [unit.firstCallAt, unit.lastCallAt] = [float64(), float64()];
    if (!isLeftOut(unit)) {
      [unit.early, unit.attributed, unit.conflicting] = [count(), count(), count()];
      for (const [i, values] of unit.values.entries()) readValues(values, windows[i]!);
    }
    units.push(unit);
  }
  return units;
}

function isLeftOut(unit: Unit): boolean {
  return unit.isContaminated || isTest(unit);
}

/** Writes whole numbers of both signs as small ones without a sign. */
function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function unzigzag(value: number): number {
  return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
}
