import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { ShownOnce } from "../../ui/ShownOnce.tsx";
import type { KeyScope } from "./key-uses.ts";
import { Rotation } from "./Rotation.tsx";

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
export function KeyActions({ scope, exists, isRevealable }: KeyActionsProps) {
  const me = useMe();
  const [visible, setVisible] = useState<Visible | null>(null);
  const reveal = useMutation({
    mutationFn: () => unwrap(api.GET("/v1/keys/{scope}/reveal", { params: { path: { scope } } })),
    onSuccess: ({ key }) => {
      setVisible({ key, isNew: false });
      announce(`The ${scope} key is shown. The audit records that you revealed it.`);
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
      {exists && isRevealable ? <p className="muted key-note">The audit records who reveals it.</p> : null}
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
      <p>The audit records that you revealed it.</p>
    </ShownOnce>
  );
}
