import { Link } from "@tanstack/react-router";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { Button } from "../../ui/Button.tsx";
import { CopyButton } from "../../ui/Copy.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { KEY_PLACEHOLDER } from "./snippets.ts";
import type { usePublishableKey } from "./use-publishable-key.ts";

/** The publishable key: made or revealed by admins, asked for by members. */
export function KeyChoice({ source }: { readonly source: ReturnType<typeof usePublishableKey> }) {
  const { raw, creation, reveal, keys } = source;
  const problem = creation.error ?? reveal.error ?? (keys.data === undefined ? keys.error : null);
  return (
    <>
      {raw === null ? (
        <Missing source={source} />
      ) : (
        <p className="row">
          <span>
            Publishable key <code>{raw}</code>
          </span>
          <CopyButton text={raw} label="Copy the key" />
        </p>
      )}
      {problem ? <ProblemNotice problem={problem} /> : null}
    </>
  );
}

function Missing({
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
        <span className="muted">It may assign and send events, and be seen: browsers hold it.</span>
      </p>
    ) : (
      <p>There is no publishable key yet. Ask an admin to create one under Keys & webhooks.</p>
    );
  const name = summary.prefix === null ? "a publishable key" : <code>{summary.prefix}…</code>;
  if (!isAdminHere)
    return (
      <p>
        There is {name} already. Ask an admin for it, and put it in place of <code>{KEY_PLACEHOLDER}</code>{" "}
        below.
      </p>
    );
  return summary.revealable ? (
    <p className="row">
      <span>There is {name}</span>
      <Button onPress={() => reveal.mutate()} isPending={reveal.isPending}>
        Fill it in below
      </Button>
      <span className="muted">The audit notes that you looked at it.</span>
    </p>
  ) : (
    <p>
      There is {name}, which cannot be shown again. If nobody kept it, <Link to="/keys">make a new one</Link>.
    </p>
  );
}
