import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { announce } from "../../ui/announce.ts";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { SelectField } from "../../ui/Field.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { starterExperiment } from "./starter-experiment.ts";

/** The experiment of the steps: one of the org's, or a new starter. */
export function ExperimentChoice({ experimentId }: { readonly experimentId: string | null }) {
  const navigate = useNavigate();
  const items = useQuery(queries.overview()).data?.items ?? [];
  const own = items.filter(({ is_demo, status }) => !is_demo && status !== "stopped");
  const choose = (experiment: string) =>
    navigate({ to: "/start", search: { experiment }, resetScroll: false });
  if (own.length === 0) return <Starter taken={items.map(({ name }) => name)} onCreated={choose} />;
  const [only] = own;
  if (own.length === 1 && only?.id === experimentId)
    return (
      <p>
        Experiment{" "}
        <Link to="/experiments/$id" params={{ id: only.id }}>
          {only.name}
        </Link>
      </p>
    );
  return (
    <div className="start-choice">
      <SelectField
        label="Experiment"
        options={own.map(({ id, name }) => ({ value: id, label: name }))}
        value={experimentId}
        onChange={choose}
      />
    </div>
  );
}

function Starter({
  taken,
  onCreated,
}: {
  readonly taken: readonly string[];
  readonly onCreated: (id: string) => void;
}) {
  const cache = useQueryClient();
  const creation = useMutation({
    mutationFn: () => unwrap(api.POST("/v1/experiments", { body: starterExperiment(taken) })),
    onSuccess: async ({ id, name }) => {
      await cache.invalidateQueries({ queryKey: ["overview"] });
      announce(`The experiment ${name} is running.`);
      onCreated(id);
    },
  });
  return (
    <>
      <p>
        The starter compares two prompts, <b>control</b> and <b>concise</b>, by users' thumbs up. You can
        change it later.
      </p>
      <p className="row">
        <Button onPress={() => creation.mutate()} isPending={creation.isPending}>
          Create a starter experiment
        </Button>
        <LinkButton look="quiet" to="/experiments/new">
          Define your own
        </LinkButton>
      </p>
      {creation.error ? <ProblemNotice problem={creation.error} /> : null}
    </>
  );
}
