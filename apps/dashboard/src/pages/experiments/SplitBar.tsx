import type { ExperimentOverview } from "../../api/types.ts";
import { armColors } from "../../charts/arm-colors.ts";
import { counted, percent } from "../../format/numbers.ts";
import { observedSplit, splitWords } from "./row-words.ts";

/** Maximum number of shares in words; beyond it, only their number is shown. */
const SHARES_WRITTEN = 4;

/** The observed split of users, as a thin bar and in words. */
export function SplitBar({
  item,
}: {
  readonly item: Pick<ExperimentOverview, "users" | "variants" | "control">;
}) {
  const parts = observedSplit(item);
  if (parts.length === 0) return <small>No users yet</small>;
  const colors = armColors(item.variants, item.control);
  const names = parts.map(({ variant, share }) => `${variant} ${percent(share)}`).join(" · ");
  return (
    <span className="split" title={names}>
      <span className="split-bar" role="img" aria-label={names}>
        {parts.map(({ variant, share }) => (
          <span
            key={variant}
            style={{ width: `${100 * share}%`, background: colors.get(variant) ?? "var(--muted)" }}
          />
        ))}
      </span>
      <small>{parts.length > SHARES_WRITTEN ? counted(parts.length, "variant") : splitWords(parts)}</small>
    </span>
  );
}
