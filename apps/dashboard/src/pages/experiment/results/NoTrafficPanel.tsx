import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, unwrap } from "../../../api/client.ts";
import type { Experiment } from "../../../api/types.ts";
import { announce } from "../../../ui/announce.ts";
import { Button, LinkButton } from "../../../ui/Button.tsx";
import { ProblemNotice } from "../../../ui/Notice.tsx";
import { Panel } from "../../../ui/Page.tsx";

/** Running, but nobody came: what to check, and an event to see that the way is open. */
export function NoTrafficPanel({ experiment }: { readonly experiment: Experiment }) {
  const { id, name } = experiment;
  const test = useTestEvent(id);
  return (
    <Panel title="No user has been seen yet">
      <p>The experiment is running and waits for its first exposure. Check, in this order:</p>
      <ol className="results-reasons">
        <li>
          Your application asks for <code>{name}</code> by this name, in the code that is deployed:{" "}
          <Link to="/start">code to paste</Link>.
        </li>
        <li>
          It uses a key of this org, and reaches this address: <code>{location.origin}</code>.
        </li>
        <li>
          It sends exposures and calls: the client libraries do so by themselves, but only while the process
          lives (call <code>close()</code> before it ends).
        </li>
        <li>
          Users are inside the experiment's share of traffic:{" "}
          <Link to="/experiments/$id/setup" params={{ id }}>
            setup
          </Link>
          .
        </li>
      </ol>
      {test.error ? <ProblemNotice problem={test.error} /> : null}
      <div className="row">
        <Button onPress={() => test.mutate()} isPending={test.isPending}>
          Send a test event
        </Button>
        <LinkButton to="/experiments/$id/live" params={{ id }}>
          Watch live
        </LinkButton>
      </div>
      <p className="muted">
        The test event is an exposure of a test user to control: it shows that the service works, counts in
        the traffic and in no metric.
      </p>
    </Panel>
  );
}

function useTestEvent(id: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.POST("/v1/experiments/{id}/test-event", { params: { path: { id } } })),
    onSuccess: async () => {
      announce("The test event was accepted. It shows within seconds.");
      await cache.invalidateQueries({ queryKey: ["experiment", id] });
    },
  });
}
