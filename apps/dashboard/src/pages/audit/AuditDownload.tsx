import { useMutation } from "@tanstack/react-query";
import { count, counted } from "../../format/numbers.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { type AuditExport, MAX_EXPORTED, readWholeAudit, toAuditCsv } from "./audit-export.ts";

type Format = "csv" | "json";

/** Downloads every entry that matches the filter, not only those on the screen. */
export function AuditDownload({ targetId }: { readonly targetId: string | undefined }) {
  const download = useMutation({
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
          onPress={() => download.mutate(format)}
          isPending={download.isPending && download.variables === format}
        >
          Export as {format.toUpperCase()}
        </Button>
      ))}
      {download.error ? <ProblemNotice problem={download.error} /> : null}
      {download.data ? <p className="muted">{summaryOf(download.data)}</p> : null}
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
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `assay-audit.${format}`;
  link.click();
  URL.revokeObjectURL(url);
}
