import type { FieldChange } from "../../format/field-change.ts";

/** Fields with their previous and current values. */
export function FieldChanges({ changes }: { readonly changes: readonly FieldChange[] }) {
  return (
    <dl className="field-changes">
      {changes.map(({ field, from, to, isLong }) => (
        <div key={field} className={isLong ? "field-change field-change-long" : "field-change"}>
          <dt>{field}</dt>
          <Value label="before" text={from} isLong={isLong} />
          <Value label="after" text={to} isLong={isLong} />
        </div>
      ))}
    </dl>
  );
}

interface ValueProps {
  readonly label: string;
  readonly text: string | null;
  readonly isLong: boolean;
}

/** A long value scrolls, so it must be focusable. */
function Value({ label, text, isLong }: ValueProps) {
  return (
    <dd>
      <span className="muted">{label} </span>
      {text === null ? (
        <i>nothing</i>
      ) : (
        <span className="field-value" tabIndex={isLong ? 0 : undefined}>
          {text}
        </span>
      )}
    </dd>
  );
}
