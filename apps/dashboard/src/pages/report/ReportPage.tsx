import { useParams, useSearch } from "@tanstack/react-router";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { saveTables } from "../../ui/tables-as-csv.ts";
import { LoadedRun } from "../experiment/LoadedRun.tsx";
import { Report } from "./Report.tsx";
import { ShareReport } from "./ShareReport.tsx";

const ROUTE = "/shell/experiments/$id/report";

/** A printable report: question, verdict and decision, variants, comparisons, split, remarks, and how it was computed. */
export default function ReportPage() {
  const { id } = useParams({ from: ROUTE });
  const search = useSearch({ from: ROUTE });
  return (
    <LoadedRun id={id} search={search}>
      {(found) => <Report {...found} actions={<Actions id={id} />} />}
    </LoadedRun>
  );
}

function Actions({ id }: { readonly id: string }) {
  return (
    <div className="report-actions">
      <div className="row">
        <Button look="primary" onPress={() => print()}>
          Print
        </Button>
        <Button onPress={saveTables}>CSV</Button>
        <ShareReport id={id} />
        <LinkButton to="/experiments/$id" params={{ id }}>
          Back to the experiment
        </LinkButton>
      </div>
      <p className="muted">For a file, choose “Save as PDF” in the print dialog.</p>
    </div>
  );
}
