import { useMutation } from "@tanstack/react-query";
import { api, unwrap } from "../../../../api/client.ts";
import type { MetricResult, Results } from "../../../../api/types.ts";
import { announce } from "../../../../ui/announce.ts";
import { Button } from "../../../../ui/Button.tsx";
import { CodeBlock } from "../../../../ui/Copy.tsx";
import { download, fileName } from "../../../../ui/download.ts";
import { ProblemNotice } from "../../../../ui/Notice.tsx";

interface CheckNumberProps {
  readonly experimentId: string;
  readonly run: Pick<Results, "computed_for" | "revision">;
  readonly row: MetricResult;
}

type Format = "csv" | "parquet" | "python";

const SCRIPT = "check_row.py";
const WORDS: Readonly<Record<Format, string>> = {
  csv: "Users as CSV",
  parquet: "Users as Parquet",
  python: "The script",
};

/** Downloads the data that the row was computed from, and the script that computes it again. */
export function CheckNumber({ experimentId, run, row }: CheckNumberProps) {
  const nameOf = (format: Format) =>
    format === "python" ? SCRIPT : `${fileName(row.metric, row.treatment, run.computed_for)}.${format}`;
  const reading = useMutation({
    mutationFn: (format: Format) => {
      const path = { id: experimentId, day: run.computed_for };
      const { metric, treatment } = row;
      const query = { metric, treatment, revision: run.revision, format };
      return unwrap<Blob>(
        api.GET("/v1/experiments/{id}/results/{day}/evidence", { params: { path, query }, parseAs: "blob" }),
      );
    },
    onSuccess: (file, format) => {
      download(nameOf(format), file.type, file);
      announce(`Saved ${nameOf(format)}.`);
    },
  });
  return (
    <>
      <h3>Check this number</h3>
      <p>
        Compute it again yourself. Download the users behind it, with hashed ids, and a Python script that
        shares no code with the service. The script prints both results side by side. The audit log records
        downloads of users.
      </p>
      <div className="row drawer-downloads">
        {(["csv", "parquet", "python"] as const).map((format) => (
          <Button
            key={format}
            onPress={() => reading.mutate(format)}
            isPending={reading.isPending && reading.variables === format}
          >
            {WORDS[format]}
          </Button>
        ))}
      </div>
      {reading.error ? <ProblemNotice problem={reading.error} /> : null}
      <CodeBlock
        label="The command that checks this number"
        text={`pip install numpy scipy\npython3 ${SCRIPT} ${nameOf("csv")}`}
      />
    </>
  );
}
