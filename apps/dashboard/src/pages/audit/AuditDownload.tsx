import { useMutation } from "@tanstack/react-query";
import { count, counted } from "../../format/numbers.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { download } from "../../ui/download.ts";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { type AuditExport, MAX_EXPORTED, readWholeAudit, toAuditCsv } from "./audit-export.ts";

type Format = "csv" | "json";

/** Downloads every entry that matches the filter, not only those on the screen. */
export function AuditDownload({ targetId }: { readonly targetId: string | undefined }) {
  const reading = useMutation({
    mutationFn: async (format: Format) => ({ format, ...(await readWholeAudit(targetId)) }),
    onSuccess: ({ format, ...read }) => {
      save(format, read);
      announce(summaryOf(read));
    },
  });
  return (
    <>
      {(["csv", "json"] as const).map((format) => (
        <Button
          key={format}
          onPress={() => reading.mutate(format)}
          isPending={reading.isPending && reading.variables === format}
        >
          Export as {format.toUpperCase()}
        </Button>
      ))}
      {reading.error ? <ProblemNotice problem={reading.error} /> : null}
      {reading.data ? <p className="muted">{summaryOf(reading.data)}</p> : null}
    </>
  );
}

function summaryOf({ entries, isCut }: AuditExport): string {
  const words = `Exported ${counted(entries.length, "entry", "entries")}`;
  return isCut
    ? `${words}, the newest. A file holds about ${count(MAX_EXPORTED)}; read older ones with GET /v1/audit.`
    : `${words}: all that match.`;
}

function save(format: Format, { entries }: AuditExport): void {
  const text = format === "csv" ? toAuditCsv(entries) : `${JSON.stringify(entries, null, 2)}\n`;
  const type = format === "csv" ? "text/csv" : "application/json";
  download(`assay-audit.${format}`, type, text);
}
