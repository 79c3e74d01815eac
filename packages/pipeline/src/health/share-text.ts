import type { ArmShare } from "@assay/domain";
import type { Gap } from "./gap.ts";

/** Writes a share as a percentage of three digits, such as "1.25 %". */
export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}

/** Lists the arms' shares, such as ": control 1 %, b 2 %"; nothing for a single arm. */
export function byArmText(arms: Readonly<Record<string, ArmShare>>): string {
  const list = Object.entries(arms).flatMap(([arm, { share }]) =>
    share === null ? [] : [`${arm} ${percent(share)}`],
  );
  return list.length < 2 ? "" : `: ${list.join(", ")}`;
}

/** Says which arm differs from control; nothing when none does. */
export function gapText(gap: Gap | null): string {
  return gap === null ? "" : `; ${gap.arm} differs from control by more than chance explains`;
}
