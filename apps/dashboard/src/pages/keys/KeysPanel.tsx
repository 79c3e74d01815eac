import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import type { Wire } from "../../api/types.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { Loaded } from "../../ui/Loaded.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Time } from "../../ui/Time.tsx";
import { KeyActions } from "./KeyActions.tsx";
import { KEY_USES, type KeyScope } from "./key-uses.ts";
import "./keys.css";

/** The API keys, one per scope. */
export function KeysPanel() {
  const keys = useQuery(queries.keys());
  const me = useMe();
  return (
    <Panel title="API keys">
      {isAdmin(me) ? null : (
        <p className="muted">
          As a member, you can see which keys exist. Ask an admin or owner of your organization to create,
          reveal or replace one.
        </p>
      )}
      <Loaded query={keys}>
        {(list) => (
          <div className="grid-2">
            {KEY_USES.map(({ scope, use, danger }) => (
              <article key={scope} className="key-card" aria-label={`${scope} key`}>
                <h3>{scope}</h3>
                <p>{use}</p>
                <p className="muted">{danger}</p>
                <KeyState scope={scope} summary={list.find((key) => key.scope === scope)} />
              </article>
            ))}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

interface KeyStateProps {
  readonly scope: KeyScope;
  readonly summary: Wire<"KeySummary"> | undefined;
}

function KeyState({ scope, summary }: KeyStateProps) {
  return (
    <>
      {summary === undefined ? (
        <p className="key-line">There is no {scope} key yet.</p>
      ) : (
        <>
          <p className="key-line">{summary.prefix ? <code>{summary.prefix}…</code> : "An active key."}</p>
          <p className="muted">
            Created <Time at={summary.created_at} isRelative /> ·{" "}
            {summary.last_used_at ? (
              <>
                last used <Time at={summary.last_used_at} isRelative />
              </>
            ) : (
              "not used yet"
            )}
          </p>
        </>
      )}
      <KeyActions scope={scope} exists={summary !== undefined} isRevealable={summary?.revealable ?? false} />
    </>
  );
}
