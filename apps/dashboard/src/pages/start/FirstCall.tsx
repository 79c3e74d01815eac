import { useMutation, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { firstEvent } from "./queries.ts";
import { Received, Waiting } from "./Waiting.tsx";

/** Waits for an experiment's first call or exposure and shows it as it arrives; sends a test event to prove the way. */
export function FirstCall({ experimentId }: { readonly experimentId: string }) {
  const call = useQuery(firstEvent(experimentId, "model_call"));
  const exposure = useQuery(firstEvent(experimentId, "exposure"));
  const received = call.data ?? exposure.data ?? null;
  const problem = call.data === undefined ? call.error : null;
  return (
    <>
      {received === null ? <Waiting>Waiting for your first call…</Waiting> : <Received event={received} />}
      {received !== null && call.data === null ? (
        <Waiting>Waiting for a model call of such a user…</Waiting>
      ) : null}
      {problem ? <ProblemNotice problem={problem} onRetry={() => call.refetch()} /> : null}
      <TestEvent experimentId={experimentId} />
      {call.data ? null : <NothingArrives />}
    </>
  );
}

function TestEvent({ experimentId }: { readonly experimentId: string }) {
  const sending = useMutation({
    mutationFn: () =>
      unwrap(api.POST("/v1/experiments/{id}/test-event", { params: { path: { id: experimentId } } })),
    onSuccess: () => announce("The test event is sent. It arrives in a few seconds."),
  });
  return (
    <>
      <p className="row">
        <Button onPress={() => sending.mutate()} isPending={sending.isPending}>
          Send a test event
        </Button>
        <span className="muted">An exposure of a test user: it counts in no result.</span>
      </p>
      {sending.error ? <ProblemNotice problem={sending.error} /> : null}
    </>
  );
}

function NothingArrives() {
  return (
    <Disclosure title="Nothing arrives?">
      <ul>
        <li>
          Events leave a client after at most five seconds, or when it is closed: let the process live that
          long.
        </li>
        <li>
          The client writes a line to its log when the key is refused (401) or the service does not answer.
        </li>
        <li>The address in the code must be one that your application reaches, not only this browser.</li>
        <li>The users you try must be inside the experiment's share of traffic.</li>
        <li>The experiment must run, and its name in the code must be the one above, to the letter.</li>
      </ul>
    </Disclosure>
  );
}
