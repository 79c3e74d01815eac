import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmButton } from "../../ui/ConfirmButton.tsx";
import { download } from "../../ui/download.ts";
import { TextField } from "../../ui/Field.tsx";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Time } from "../../ui/Time.tsx";

/** Exports or erases everything stored about a user of the org's applications. */
export function UserDataPanel() {
  const me = useMe();
  return (
    <Panel title="A user's data">
      {isAdmin(me) ? <UserData /> : <p>Ask an admin or owner to export or erase a user's data.</p>}
    </Panel>
  );
}

function UserData() {
  // As typed: an id counts with its spaces.
  const [userId, setUserId] = useState("");
  return (
    <>
      <p>
        Download the events of one user of your applications, or erase everything stored about them, in all
        experiments. You must have signed in within the last 15 minutes.
      </p>
      <div className="row settings-form">
        <TextField label="User id" value={userId} onChange={setUserId} autoComplete="off" />
        <Export key={`export ${userId}`} userId={userId} />
        <Erasure key={`erase ${userId}`} userId={userId} />
      </div>
    </>
  );
}

interface UserProps {
  readonly userId: string;
}

function Export({ userId }: UserProps) {
  const reading = useMutation({
    mutationFn: async () => {
      const path = { user_id: userId };
      const events = await unwrap<Blob | undefined>(
        api.GET("/v1/users/{user_id}/events", { params: { path }, parseAs: "blob" }),
      );
      // The client gives nothing for a body of no bytes.
      return events ?? new Blob();
    },
    onSuccess: (lines) => {
      if (lines.size === 0) return announce("Nothing is stored about this user.");
      download("user-events.ndjson", "application/x-ndjson", lines);
      announce("Downloaded the user's events.");
    },
  });
  return (
    <>
      <Button onPress={() => reading.mutate()} isDisabled={userId === ""} isPending={reading.isPending}>
        Download events
      </Button>
      {reading.error ? <ProblemNotice problem={reading.error} /> : null}
      {reading.data?.size === 0 ? <p className="muted">Nothing is stored about this user.</p> : null}
    </>
  );
}

function Erasure({ userId }: UserProps) {
  const [requested, setRequested] = useState<Wire<"Erasure"> | null>(null);
  return (
    <>
      <ConfirmButton
        label="Erase…"
        isDisabled={userId === ""}
        title={`Erase ${userId}?`}
        verb="Erase the user"
        run={() => unwrap(api.DELETE("/v1/users/{user_id}", { params: { path: { user_id: userId } } }))}
        onDone={(erasure) => {
          setRequested(erasure);
          announce("Erasure requested.");
        }}
      >
        <p>
          Their events, prompts, responses, judgements and labels are removed within a day and cannot be
          restored. Stored results stay, because they identify nobody. Later analyses leave this user out.
          Anything that your application sends about them later is stored as new data.
        </p>
      </ConfirmButton>
      {requested === null ? null : <Requested {...requested} />}
    </>
  );
}

function Requested({ due_at: dueAt, fingerprint }: Wire<"Erasure">) {
  return (
    <Notice tone="good" title="Erasure requested">
      <p>
        Everything will be gone by <Time at={dueAt} />. The{" "}
        <Link to="/audit" search={{ target: fingerprint }}>
          audit log
        </Link>{" "}
        says when it is done.
      </p>
    </Notice>
  );
}
