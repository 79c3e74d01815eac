import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { queries } from "../../../api/queries.ts";
import type { Experiment } from "../../../api/types.ts";
import { allocationInWords } from "../../../format/allocation.ts";
import { count, number, percent } from "../../../format/numbers.ts";
import { LinkButton } from "../../../ui/Button.tsx";
import { Facts } from "../../../ui/Facts.tsx";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { Time } from "../../../ui/Time.tsx";
import { ExperimentCode } from "../../start/ExperimentCode.tsx";
import { MetricSetup } from "./MetricSetup.tsx";
import { OverridesSetup } from "./OverridesSetup.tsx";
import { PlanSetup } from "./PlanSetup.tsx";
import { VariantCards } from "./VariantCards.tsx";
import "./setup.css";

/** The current setup of the experiment. */
export default function SetupTab() {
  const { id } = useParams({ from: "/shell/experiments/$id/setup" });
  const experiment = useQuery(queries.experiment(id));
  return (
    <Loaded query={experiment} lines={12}>
      {(data) => (
        <>
          <Question experiment={data} />
          <Panel title="Variants">
            {data.flag_key ? null : <p>{allocationInWords(data)}</p>}
            <VariantCards experiment={data} />
          </Panel>
          <Panel title="Metrics">
            <MetricSetup metrics={data.metrics} unit={data.unit} />
          </Panel>
          <PlanSetup plan={data.plan ?? {}} />
          {data.flag_key ? null : <OverridesSetup experiment={data} />}
          <FrozenFacts experiment={data} />
          <Panel title="Code">
            <p>
              {data.flag_key ? (
                <>Your application sends an exposure with the variant that the flag gave.</>
              ) : (
                <>
                  Your application requests the variant of <code>{data.name}</code> and sends its users' calls
                  and outcomes.
                </>
              )}
            </p>
            <ExperimentCode experiment={data} />
          </Panel>
        </>
      )}
    </Loaded>
  );
}

function Question({ experiment: { id, hypothesis, description } }: { readonly experiment: Experiment }) {
  return (
    <Panel
      title="Question"
      actions={
        <>
          <LinkButton to="/experiments/$id/versions" params={{ id }}>
            Earlier versions
          </LinkButton>
          <LinkButton to="/experiments/$id/change" params={{ id }}>
            Change…
          </LinkButton>
        </>
      }
    >
      {hypothesis ? (
        <p className="setup-text">{hypothesis}</p>
      ) : (
        <p className="muted">
          No hypothesis yet. What do you expect to change, and why? Write it down before you see results.
        </p>
      )}
      {description ? <p className="setup-text muted">{description}</p> : null}
    </Panel>
  );
}

function FormerNames({ names }: { readonly names: readonly string[] }) {
  return names.map((name, index) => (
    <span key={name}>
      {index === 0 ? "" : ", "}
      <code>{name}</code>
    </span>
  ));
}

/** Ids, dates and the fields that never change. */
function FrozenFacts({ experiment }: { readonly experiment: Experiment }) {
  const { id, version, created_at, updated_at, tags = [], flag_key } = experiment;
  const formerNames = useQuery(queries.experimentOverview(id)).data?.former_names ?? [];
  return (
    <Panel title="Facts">
      <Facts
        facts={[
          ["Experiment id", <code key="id">{id}</code>],
          ...(formerNames.length === 0
            ? []
            : [["Former names (still work)", <FormerNames key="names" names={formerNames} />] as const]),
          ...(tags.length === 0 ? [] : [["Tags", tags.join(", ")] as const]),
          ["Version", number(version)],
          ["Created", <Time key="created" at={created_at} />],
          ["Last changed", <Time key="updated" at={updated_at} />],
          ...(flag_key
            ? [["Assigned by the flag (frozen)", <code key="flag">{flag_key}</code>] as const]
            : assignmentFacts(experiment)),
        ]}
      />
      {flag_key ? null : (
        <p className="muted setup-note">
          The salt and the number of buckets decide which user gets which variant. They never change, so that
          users keep their variant.
        </p>
      )}
    </Panel>
  );
}

/** How Assay assigns users, and what clients get. */
function assignmentFacts({ unit = "user", salt, bucket_count, coverage = 1, visibility }: Experiment) {
  return [
    ["Unit (frozen)", unit],
    ["Share of traffic", percent(coverage)],
    ["Prompts and variables", visibility === "server" ? "sent only to servers" : "sent to every client"],
    ["Salt (frozen)", <code key="salt">{salt}</code>],
    ["Buckets (frozen)", count(bucket_count)],
  ] as const;
}
