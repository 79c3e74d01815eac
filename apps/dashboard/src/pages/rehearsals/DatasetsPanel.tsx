import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { toProblem } from "../../api/problem.ts";
import { count, counted } from "../../format/numbers.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { TextField } from "../../ui/Field.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { type Dataset, datasetsQuery } from "./queries.ts";
import { sourceText } from "./rehearsal-words.ts";

/** The frozen inputs that rehearsals answer. */
export function DatasetsPanel() {
  const datasets = useQuery(datasetsQuery());
  return (
    <Panel title="Datasets">
      <Loaded query={datasets}>
        {({ items }) => (
          <Table
            caption="Datasets, newest first"
            isCaptionHidden
            narrow="stacks"
            rows={items}
            rowKey={({ id }) => id}
            columns={[
              { key: "name", title: "Dataset", cell: ({ name, version }) => `${name}, version ${version}` },
              { key: "items", title: "Inputs", isNumeric: true, cell: ({ items: inputs }) => count(inputs) },
              { key: "source", title: "Source", cell: sourceText },
              { key: "masked", title: "Masked", cell: maskedText },
              { key: "expires", title: "Expires", cell: Expiry },
            ]}
            empty={
              <p className="muted">
                No datasets yet. A new rehearsal draws its inputs from an experiment's calls, or you can
                upload some here.
              </p>
            }
          />
        )}
      </Loaded>
      <Upload />
    </Panel>
  );
}

function maskedText({ masked }: Dataset): string {
  const found = Object.entries(masked).map(([rule, passages]) => `${rule} ${count(passages)}`);
  return found.length === 0 ? "nothing" : found.join(", ");
}

function Expiry({ expires_at: at }: Dataset) {
  return at === null ? "never" : <Time at={at} isRelative />;
}

/** The file goes as it is: the typed client would send it as JSON. */
async function upload({ name, file }: { readonly name: string; readonly file: File }): Promise<Dataset> {
  const response = await fetch(`/v1/datasets/upload?name=${encodeURIComponent(name)}`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: file,
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw toProblem(response, body);
  return body as Dataset;
}

function Upload() {
  const cache = useQueryClient();
  const [name, setName] = useState("");
  const [file, setFile] = useState<File | null>(null);
  const id = useId();
  const sending = useMutation({
    mutationFn: upload,
    onSuccess: async ({ name: stored, version, items }) => {
      announce(`Stored ${stored}, version ${version}, with ${counted(items, "input")}.`);
      setName("");
      await cache.invalidateQueries(datasetsQuery());
    },
  });
  const wanted = name.trim() || (file?.name.replace(/\.\w+$/, "") ?? "");
  return (
    <form
      className="rehearsal-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (file !== null) sending.mutate({ name: wanted, file });
      }}
    >
      <h3>Upload inputs</h3>
      <div className="row">
        <div className="field">
          <label htmlFor={id}>
            File: JSONL, CSV, or in the format of OpenAI Evals, promptfoo, Inspect or Langfuse
          </label>
          <input
            id={id}
            type="file"
            className="field-input"
            onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
          />
        </div>
        <TextField label="Name" value={name} onChange={setName} placeholder={wanted} autoComplete="off" />
      </div>
      {sending.error ? <ProblemNotice problem={sending.error} /> : null}
      <div>
        <Button type="submit" isDisabled={file === null} isPending={sending.isPending}>
          Upload
        </Button>
      </div>
    </form>
  );
}
