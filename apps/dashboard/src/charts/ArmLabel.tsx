import "./charts.css";

/** A variant's name with its color before it. */
export function ArmLabel({ name, color }: { readonly name: string; readonly color: string | undefined }) {
  return (
    <span className="arm">
      <span className="arm-dot" style={{ background: color ?? "var(--muted)" }} aria-hidden="true" />
      {name}
    </span>
  );
}
