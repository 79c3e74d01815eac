import { useMutation, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { firstEvent } from "./queries.ts";
import { Received, Waiting } from "./Waiting.tsx";

/** Waits for an experiment's first call or exposure and shows it. Can send a test event. */
export function FirstCall({ experimentId }: { readonly experimentId: string }) {
  const call = useQuery(firstEvent(experimentId, "model_call"));
  const exposure = useQuery(firstEvent(experimentId, "exposure"));
  const received = call.data ?? exposure.data ?? null;
  const problem = call.data === undefined ? call.error : null;
  return (
    <>
      {received === null ? <Waiting>Waiting for your first call…</Waiting> : <Received event={received} />}
      {received !== null && call.data === null ? (
        <Waiting>Waiting for a model call by this user…</Waiting>
      ) : null}
      {problem ? <ProblemNotice problem={problem} onRetry={() => call.refetch()} /> : null}
      <TestEvent experimentId={experimentId} />
      {call.data ? null : <Troubleshooting />}
    </>
  );
}

function TestEvent({ experimentId }: { readonly experimentId: string }) {
  const sending = useMutation({
    mutationFn: () =>
      unwrap(api.POST("/v1/experiments/{id}/test-event", { params: { path: { id: experimentId } } })),
    onSuccess: () => announce("Test event sent. It arrives in a few seconds."),
  });
  return (
    <>
      <p className="row">
        <Button onPress={() => sending.mutate()} isPending={sending.isPending}>
          Send a test event
        </Button>
        <span className="muted">
          Sends an exposure of a test user. It counts in the traffic split but in no metric.
        </span>
      </p>
      {sending.error ? <ProblemNotice problem={sending.error} /> : null}
    </>
  );
}

function Troubleshooting() {
  return (
    <Disclosure title="Nothing arriving?">
      <ul>
        <li>Clients send events within five seconds, or when closed. Keep the process running that long.</li>
        <li>Check the client's log: it reports a refused key (401) or a service that does not answer.</li>
        <li>The URL in the code must be reachable from your application, not only from this browser.</li>
        <li>Your test users must be within the experiment's share of traffic.</li>
        <li>The experiment must be running, and its name in the code must match exactly.</li>
      </ul>
    </Disclosure>
  );
}
