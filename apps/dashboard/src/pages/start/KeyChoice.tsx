import { Link } from "@tanstack/react-router";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { Button } from "../../ui/Button.tsx";
import { CopyButton } from "../../ui/Copy.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { KEY_PLACEHOLDER } from "./snippets.ts";
import type { usePublishableKey } from "./use-publishable-key.ts";

/** The publishable key: admins create or reveal it, members ask an admin for it. */
export function KeyChoice({ source }: { readonly source: ReturnType<typeof usePublishableKey> }) {
  const { raw, creation, reveal, keys } = source;
  const problem = creation.error ?? reveal.error ?? (keys.data === undefined ? keys.error : null);
  return (
    <>
      {raw === null ? (
        <KeyMissing source={source} />
      ) : (
        <p className="row">
          <span>
            Publishable key <code>{raw}</code>
          </span>
          <CopyButton text={raw} label="Copy key" />
        </p>
      )}
      {problem ? <ProblemNotice problem={problem} /> : null}
    </>
  );
}

function KeyMissing({
  source: { keys, summary, creation, reveal },
}: {
  readonly source: ReturnType<typeof usePublishableKey>;
}) {
  const isAdminHere = isAdmin(useMe());
  if (keys.data === undefined) return null;
  if (summary === null)
    return isAdminHere ? (
      <p className="row">
        <Button look="primary" onPress={() => creation.mutate()} isPending={creation.isPending}>
          Create a publishable key
        </Button>
        <span className="muted">It assigns users and sends events, and may be public.</span>
      </p>
    ) : (
      <p>There is no publishable key yet. Ask an admin to create one under Keys & webhooks.</p>
    );
  const name = summary.prefix === null ? "a publishable key" : <code>{summary.prefix}…</code>;
  if (!isAdminHere)
    return (
      <p>
        There already is {name}. Ask an admin for it and replace <code>{KEY_PLACEHOLDER}</code> below.
      </p>
    );
  return summary.revealable ? (
    <p className="row">
      <span>There is {name}</span>
      <Button onPress={() => reveal.mutate()} isPending={reveal.isPending}>
        Fill it in below
      </Button>
      <span className="muted">The audit records that you revealed it.</span>
    </p>
  ) : (
    <p>
      There is {name}, which cannot be shown again. If nobody has it, <Link to="/keys">create a new one</Link>
      .
    </p>
  );
}
