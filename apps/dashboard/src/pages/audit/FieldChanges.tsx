import type { FieldChange } from "../../format/field-change.ts";

/** Fields with what they were and what they are now. */
export function FieldChanges({ changes }: { readonly changes: readonly FieldChange[] }) {
  return (
    <dl className="field-changes">
      {changes.map(({ field, from, to, isLong }) => (
        <div key={field} className={isLong ? "field-change field-change-long" : "field-change"}>
          <dt>{field}</dt>
          <Value label="before" text={from} />
          <Value label="now" text={to} />
        </div>
      ))}
    </dl>
  );
}

function Value({ label, text }: { readonly label: string; readonly text: string | null }) {
  return (
    <dd>
      <span className="muted">{label} </span>
      {text === null ? <i>nothing</i> : <span className="field-value">{text}</span>}
    </dd>
  );
}
