import { Link } from "@tanstack/react-router";
import { desiredOf, formulaInWords } from "../../format/metric-words.ts";
import { counted } from "../../format/numbers.ts";
import { Facts } from "../../ui/Facts.tsx";
import { type CatalogueEntry, olderVersions, unitsOf } from "./find-metrics.ts";

/** What a metric measures, and the experiments that use it. */
export function MetricFacts({ entry }: { readonly entry: CatalogueEntry }) {
  const { definition } = entry;
  const formulas = new Set(unitsOf(entry).map((unit) => formulaInWords(definition, unit)));
  const isUp = desiredOf(definition) === "increase";
  return (
    <>
      {definition.description ? <p>{definition.description}</p> : null}
      {[...formulas].map((formula) => (
        <p key={formula}>{formula}</p>
      ))}
      <Facts
        facts={[
          [
            "Direction",
            <span key="wanted">
              <span aria-hidden="true">{isUp ? "▲ " : "▼ "}</span>
              {isUp ? "higher is better" : "lower is better"}
            </span>,
          ],
          ["Version", versionsOf(entry)],
          ["Test", definition.method ?? definition.method_default],
          ...(definition.display_name ? [["Shown as", definition.display_name] as const] : []),
          ...(definition.unit ? [["Unit", definition.unit] as const] : []),
          ["Shared", definition.shared_org_wide ? "yes" : "no"],
        ]}
      />
      <UsedBy entry={entry} />
    </>
  );
}

function versionsOf(entry: CatalogueEntry): string {
  const older = olderVersions(entry);
  const current = `${entry.definition.metric_version}`;
  return older.length === 0 ? current : `${current}; also in use: ${older.join(", ")}`;
}

function UsedBy({ entry: { definition, used_by: usedBy } }: { readonly entry: CatalogueEntry }) {
  if (usedBy.length === 0) return <p className="muted">Not used by any experiment.</p>;
  return (
    <>
      <h3 className="metrics-used">Used by {counted(usedBy.length, "experiment")}</h3>
      <ul className="metrics-experiments">
        {usedBy.map(({ id, name, status, metric_version: version, follows }) => (
          <li key={id}>
            <Link to="/experiments/$id" params={{ id }}>
              {name}
            </Link>{" "}
            <span className="muted">
              {status}
              {version === definition.metric_version ? "" : `, version ${version}`}
              {definition.shared_org_wide && !follows ? ", with a definition of its own" : ""}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
