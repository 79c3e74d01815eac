import type { ArmShare } from "@assay/domain";
import type { Gap } from "./gap.ts";

/** Formats a share as a percentage with three significant digits, such as "1.25%". */
export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))}%`;
}

/** Formats a count, such as "12,345". */
export function counted(count: number): string {
  return count.toLocaleString("en-US");
}

/** Formats a count with its noun: "1 user", "2,000 users". */
export function countedOf(
  count: number,
  { one, many }: { readonly one: string; readonly many: string },
): string {
  return `${counted(count)} ${count === 1 ? one : many}`;
}

/** Formats a part of a whole, such as "1,200 of 96,000 calls (1.25%)". */
export function partText(part: number, of: number, what: string): string {
  return `${counted(part)} of ${counted(of)} ${what} (${percent(part / of)})`;
}

/** Lists the arms' shares, such as ": control 1%, b 2%"; empty for a single arm. */
export function byArmText(arms: Readonly<Record<string, ArmShare>>): string {
  const list = Object.entries(arms).flatMap(([arm, { share }]) =>
    share === null ? [] : [`${arm} ${percent(share)}`],
  );
  return list.length < 2 ? "" : `: ${list.join(", ")}`;
}

/** Names the arm that differs from control; empty when none does. */
export function gapText(gap: Gap | null): string {
  return gap === null ? "" : `; ${gap.arm} differs from control by more than chance explains`;
}
