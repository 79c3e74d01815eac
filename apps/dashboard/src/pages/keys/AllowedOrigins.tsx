import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import { queries } from "../../api/queries.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { TextArea } from "../../ui/Field.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { originsOf } from "./origins.ts";

interface AllowedOriginsProps {
  /** Null: any. */
  readonly origins: readonly string[] | null;
}

/** The origins whose pages may use the publishable key; admins can change them. */
export function AllowedOrigins({ origins }: AllowedOriginsProps) {
  const me = useMe();
  if (isAdmin(me)) return <OriginsForm origins={origins} />;
  return <p className="muted">Allowed origins: {origins === null ? "any" : origins.join(", ")}.</p>;
}

function OriginsForm({ origins }: AllowedOriginsProps) {
  const cache = useQueryClient();
  const saved = (origins ?? []).join("\n");
  const [text, setText] = useState(saved);
  const put = useMutation({
    mutationFn: () => unwrap(api.PUT("/v1/keys/publishable", { body: { allowed_origins: originsOf(text) } })),
    onSuccess: async ({ allowed_origins: now }) => {
      setText((now ?? []).join("\n"));
      announce("The allowed origins are saved.");
      await cache.invalidateQueries(queries.keys());
    },
  });
  const fault = put.error instanceof Problem ? put.error.faults[0] : undefined;
  return (
    <form
      className="form key-origins"
      onSubmit={(event) => {
        event.preventDefault();
        put.mutate();
      }}
    >
      <TextArea
        label="Allowed origins"
        rows={3}
        placeholder="https://app.example.com"
        value={text}
        onChange={setText}
        hint="One per line. Pages of other origins are refused. Leave it empty to allow any page. Servers and native apps send no origin, so this does not stop them."
        error={fault && `${originOf(text, fault.pointer)}: ${fault.detail}`}
      />
      {put.error && fault === undefined ? <ProblemNotice problem={put.error} /> : null}
      <div className="row">
        <Button type="submit" isPending={put.isPending} isDisabled={text === saved}>
          Save the origins
        </Button>
      </div>
    </form>
  );
}

/** The origin that a fault is about. */
function originOf(text: string, pointer: string): string {
  return originsOf(text)?.[Number(pointer.split("/").at(-1))] ?? "Allowed origins";
}
