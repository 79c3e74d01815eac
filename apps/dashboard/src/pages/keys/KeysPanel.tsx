import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import type { Wire } from "../../api/types.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";
import { ShownOnce } from "../../ui/ShownOnce.tsx";
import { Time } from "../../ui/Time.tsx";
import { AllowedOrigins } from "./AllowedOrigins.tsx";
import { ReadablePrompts } from "./ReadablePrompts.tsx";
import { Rotation } from "./Rotation.tsx";
import { UnusualUse } from "./UnusualUse.tsx";
import "./keys.css";

export type KeyScope = Wire<"KeySummary">["scope"];

interface KeyUse {
  readonly scope: KeyScope;
  readonly use: string;
  readonly danger: string;
}

/** The purpose of each scope's key, and who may see it. */
const KEY_USES: readonly KeyUse[] = [
  {
    scope: "publishable",
    use: "For the client libraries in browsers, apps and servers. It reads the configuration, assigns users and sends events.",
    danger:
      "It is public: anyone who has it can read the prompts and variables of running and shipped experiments, except those that only servers get. It reads no results and no events.",
  },
  {
    scope: "secret",
    use: "For servers. It does everything the publishable key does, reads every prompt and imports past events.",
    danger: "Keep it out of browsers, apps and repositories.",
  },
];

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
                {scope === "publishable" ? (
                  <>
                    <UnusualUse />
                    <ReadablePrompts keys={list} />
                  </>
                ) : null}
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
            {summary.last_browser_use_at ? (
              <>
                {" "}
                · by a web page <Time at={summary.last_browser_use_at} isRelative />
              </>
            ) : null}
          </p>
        </>
      )}
      {scope === "publishable" && summary !== undefined ? (
        <AllowedOrigins origins={summary.allowed_origins} />
      ) : null}
      <KeyActions scope={scope} exists={summary !== undefined} isRevealable={summary?.revealable ?? false} />
    </>
  );
}

interface KeyActionsProps {
  readonly scope: KeyScope;
  readonly exists: boolean;
  readonly isRevealable: boolean;
}

interface Visible {
  readonly key: string;
  readonly isNew: boolean;
}

/** Creates, replaces and reveals the key of a scope. The raw key lives only in this component. */
function KeyActions({ scope, exists, isRevealable }: KeyActionsProps) {
  const me = useMe();
  const [visible, setVisible] = useState<Visible | null>(null);
  const reveal = useMutation({
    mutationFn: () => unwrap(api.GET("/v1/keys/{scope}/reveal", { params: { path: { scope } } })),
    onSuccess: ({ key }) => {
      setVisible({ key, isNew: false });
      announce(`The ${scope} key is shown. The audit log records that you revealed it.`);
    },
  });
  if (!isAdmin(me)) return null;
  return (
    <>
      {visible === null ? null : <RawKey scope={scope} visible={visible} onDone={() => setVisible(null)} />}
      {reveal.error ? <ProblemNotice problem={reveal.error} /> : null}
      <div className="row">
        <Rotation
          name={`${scope} key`}
          noun="key"
          exists={exists}
          make={async () => (await unwrap(api.POST("/v1/keys", { body: { scope } }))).key}
          onMade={(key) => setVisible({ key, isNew: true })}
          queryKey={queries.keys().queryKey}
        >
          {exists
            ? `Clients with the old ${scope} key get 401 immediately and run without experiments until they have the new one. This cannot be undone.`
            : "Anyone with the key can use it until it is replaced."}
        </Rotation>
        {exists && isRevealable ? (
          <Button onPress={() => reveal.mutate()} isPending={reveal.isPending}>
            Reveal the {scope} key
          </Button>
        ) : null}
      </div>
      {exists && isRevealable ? (
        <p className="muted key-note">The audit log records who reveals it.</p>
      ) : null}
    </>
  );
}

function RawKey({
  scope,
  visible,
  onDone,
}: {
  readonly scope: KeyScope;
  readonly visible: Visible;
  readonly onDone: () => void;
}) {
  return visible.isNew ? (
    <ShownOnce name={`Your new ${scope} key`} value={visible.key} onDone={onDone}>
      <p>Copy it now. It disappears when you leave or reload this page. An admin can reveal it again.</p>
    </ShownOnce>
  ) : (
    <ShownOnce name={`The ${scope} key`} value={visible.key} onDone={onDone} done="Hide">
      <p>The audit log records that you revealed it.</p>
    </ShownOnce>
  );
}
