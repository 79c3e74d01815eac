import { Link } from "@tanstack/react-router";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { Button } from "../../ui/Button.tsx";
import { CopyButton } from "../../ui/Copy.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { KEY_PLACEHOLDERS } from "./snippets.ts";
import type { KeyScope, useApiKey } from "./use-api-key.ts";

const USES: Readonly<Record<KeyScope, string>> = {
  publishable: "It assigns users and sends events, and may be public.",
  secret: "It is for servers. Keep it out of browsers, apps and repositories.",
};

/** The key of a scope. Admins create or reveal it; members ask an admin for it. */
export function KeyChoice({ source }: { readonly source: ReturnType<typeof useApiKey> }) {
  const { scope, raw, creation, reveal, keys } = source;
  const problem = creation.error ?? reveal.error ?? (keys.data === undefined ? keys.error : null);
  return (
    <>
      {raw === null ? (
        <KeyMissing source={source} />
      ) : (
        <p className="row">
          <span>
            {scope === "secret" ? "Secret" : "Publishable"} key <code>{raw}</code>
          </span>
          <CopyButton text={raw} label="Copy key" />
        </p>
      )}
      {problem ? <ProblemNotice problem={problem} /> : null}
    </>
  );
}

function KeyMissing({
  source: { scope, keys, summary, creation, reveal },
}: {
  readonly source: ReturnType<typeof useApiKey>;
}) {
  const isAdminHere = isAdmin(useMe());
  if (keys.data === undefined) return null;
  if (summary === null)
    return isAdminHere ? (
      <p className="row">
        <Button look="primary" onPress={() => creation.mutate()} isPending={creation.isPending}>
          Create a {scope} key
        </Button>
        <span className="muted">{USES[scope]}</span>
      </p>
    ) : (
      <p>There is no {scope} key yet. Ask an admin to create one under Keys & webhooks.</p>
    );
  const name = summary.prefix === null ? `A ${scope} key` : <code>{summary.prefix}…</code>;
  if (!isAdminHere)
    return (
      <p>
        {name} already exists. Ask an admin for it and replace <code>{KEY_PLACEHOLDERS[scope]}</code> below.
      </p>
    );
  return summary.revealable ? (
    <p className="row">
      <span>{name} already exists.</span>
      <Button onPress={() => reveal.mutate()} isPending={reveal.isPending}>
        Fill it in below
      </Button>
      <span className="muted">The audit log records that you revealed it.</span>
    </p>
  ) : (
    <p>
      {name} already exists but cannot be shown again. If nobody has it,{" "}
      <Link to="/keys">create a new one</Link>.
    </p>
  );
}
