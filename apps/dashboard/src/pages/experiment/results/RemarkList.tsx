import type { Results } from "../../../api/types.ts";
import { Badge } from "../../../ui/Badge.tsx";
import type { Tone } from "../../../ui/Notice.tsx";
import "./results.css";

type Remark = Results["health"][number];

const SEVERITY: Readonly<Record<Remark["severity"], { readonly word: string; readonly tone: Tone }>> = {
  critical: { word: "Critical", tone: "bad" },
  warning: { word: "Warning", tone: "warn" },
  info: { word: "Note", tone: "info" },
};
const BY_WEIGHT: readonly Remark["severity"][] = ["critical", "warning", "info"];

/** The run's remarks, worst first; nothing without remarks. */
export function RemarkList({ run }: { readonly run: Results }) {
  if (run.health.length === 0) return null;
  const remarks = run.health.toSorted(
    (a, b) => BY_WEIGHT.indexOf(a.severity) - BY_WEIGHT.indexOf(b.severity),
  );
  return (
    <>
      <h3>Remarks on this run</h3>
      <ul className="results-remarks">
        {remarks.map(({ code, severity, detail }) => (
          <li key={`${code} ${detail}`}>
            <Badge tone={SEVERITY[severity].tone}>{SEVERITY[severity].word}</Badge> {detail}
          </li>
        ))}
      </ul>
    </>
  );
}
