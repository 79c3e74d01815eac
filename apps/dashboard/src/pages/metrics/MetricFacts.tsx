import { Link } from "@tanstack/react-router";
import { desiredOf, formulaInWords } from "../../format/metric-words.ts";
import { counted } from "../../format/numbers.ts";
import { Disclosure } from "../../ui/Disclosure.tsx";
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

/** Experiments that are listed at once; the further ones are folded. */
const LISTED = 10;

function UsedBy({ entry }: { readonly entry: CatalogueEntry }) {
  const { used_by: usedBy } = entry;
  if (usedBy.length === 0) return <p className="muted">Not used by any experiment.</p>;
  const further = usedBy.length - LISTED;
  return (
    <>
      <h3 className="metrics-used">Used by {counted(usedBy.length, "experiment")}</h3>
      <Uses entry={entry} uses={usedBy.slice(0, LISTED)} />
      {further > 0 ? (
        <Disclosure title={counted(further, "further experiment")}>
          <Uses entry={entry} uses={usedBy.slice(LISTED)} />
        </Disclosure>
      ) : null}
    </>
  );
}

interface UsesProps {
  readonly entry: CatalogueEntry;
  readonly uses: CatalogueEntry["used_by"];
}

function Uses({ entry: { definition }, uses }: UsesProps) {
  return (
    <ul className="metrics-experiments">
      {uses.map(({ id, name, status, metric_version: version, follows }) => (
        <li key={id}>
          <Link to="/experiments/$id" params={{ id }}>
            {name}
          </Link>{" "}
          <span className="muted">
            {status}
            {version === definition.metric_version ? "" : `, version ${version}`}
            {definition.shared_org_wide && !follows ? ", with its own definition" : ""}
          </span>
        </li>
      ))}
    </ul>
  );
}
