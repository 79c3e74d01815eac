import { Link, useNavigate, useSearch } from "@tanstack/react-router";
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
      lead="Who changed what, and when. Each entry is stored together with its change and is never edited."
      actions={<AuditDownload targetId={target} />}
    >
      <p>
        Sign-ins and refused requests are under <Link to="/security">Security</Link>.
      </p>
      <Panel title={target === undefined ? "All changes in your organization" : "One target"}>
        <TargetFilter key={target ?? ""} target={target} />
        <AuditList targetId={target} />
      </Panel>
    </Page>
  );
}

/** The target is in the URL, so that the view can be shared. */
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
        label="Target"
        value={text}
        onChange={setText}
        hint="The id of an experiment, a member or the organization; “publishable” or “secret” for a key."
      />
      <Button type="submit">Show</Button>
      {target === undefined ? null : <Button onPress={() => show("")}>Show all</Button>}
    </form>
  );
}
