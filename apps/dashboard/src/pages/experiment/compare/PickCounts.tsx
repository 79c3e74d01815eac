import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import { counted } from "../../../format/numbers.ts";
import type { PickSummary } from "./queries.ts";

interface PickCountsProps {
  readonly picks: PickSummary;
  readonly colors: ReadonlyMap<string, string>;
}

/** How people picked, and whether the judges would agree. Not a result: these questions were not drawn at random. */
export function PickCounts({ picks, colors }: PickCountsProps) {
  const variants = Object.entries(picks.variants);
  if (variants.length === 0) return null;
  return (
    <section className="compare-picks" aria-label="Blind picks">
      <strong>Blind picks</strong>
      {variants.map(([variant, { best, compared }]) => (
        <span key={variant}>
          <ArmLabel name={variant} color={colors.get(variant)} /> best in {best} of {compared}
        </span>
      ))}
      <span>all the same: {picks.same}</span>
      {picks.judges.map(({ metric, pairs, agreed, ties }) =>
        pairs + ties === 0 ? null : (
          <span key={metric}>
            the judge of {metric} agrees in {agreed} of {counted(pairs, "pair")}
            {ties === 0 ? "" : `, and sees no difference in ${ties}`}
          </span>
        ),
      )}
    </section>
  );
}
