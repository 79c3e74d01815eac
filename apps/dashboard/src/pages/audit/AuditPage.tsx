import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/Button.tsx";
import { TextField } from "../../ui/Field.tsx";
import { Page, Panel } from "../../ui/Page.tsx";
import { AuditDownload } from "./AuditDownload.tsx";
import { AuditList } from "./AuditList.tsx";

export default function AuditPage() {
  const { target } = useSearch({ from: "/shell/audit" });
  return (
    <Page
      title="Audit"
      lead="Who did what, when, and what it changed. Entries are written with the change itself and are never edited."
      actions={<AuditDownload targetId={target} />}
    >
      <Panel title={target === undefined ? "Everything in your organisation" : "One target"}>
        <TargetFilter key={target ?? ""} target={target} />
        <AuditList targetId={target} />
      </Panel>
    </Page>
  );
}

/** The address holds the target, so that what is shown can be sent to a colleague. */
function TargetFilter({ target }: { readonly target: string | undefined }) {
  const navigate = useNavigate();
  const [text, setText] = useState(target ?? "");
  const show = (next: string) => navigate({ to: "/audit", search: next === "" ? {} : { target: next } });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    show(text.trim());
  };
  return (
    <form className="row audit-filter" onSubmit={submit}>
      <TextField
        label="Only this target"
        value={text}
        onChange={setText}
        hint="The id of an experiment, a member or an organisation; “publishable” or “secret” for a key."
      />
      <Button type="submit">Show</Button>
      {target === undefined ? null : <Button onPress={() => show("")}>Show everything</Button>}
    </form>
  );
}
