import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { api, unwrap } from "../../api/client.ts";
import { count, counted, dollars } from "../../format/numbers.ts";
import { announce } from "../../ui/announce.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { LongText } from "../../ui/LongText.tsx";
import { Meter } from "../../ui/Meter.tsx";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";
import { Page, Panel } from "../../ui/Page.tsx";
import { Time } from "../../ui/Time.tsx";
import { ForecastPanel } from "./ForecastPanel.tsx";
import { ArmHistory } from "./LedgerPanel.tsx";
import { PairList } from "./PairList.tsx";
import { type Rehearsal, rehearsalQuery } from "./queries.ts";
import { hasEnded, stateWord, verdictWord } from "./rehearsal-words.ts";
import { Scorecard } from "./Scorecard.tsx";
import "./rehearsals.css";

/** One rehearsal: how far it is, what it found, and the answers. */
export default function RehearsalPage() {
  const { id } = useParams({ from: "/shell/rehearsals/$id" });
  const query = useQuery(rehearsalQuery(id));
  return (
    <Loaded query={query} lines={12}>
      {(rehearsal) => (
        <Page
          title={`${rehearsal.arms
            .slice(1)
            .map(({ name }) => name)
            .join(", ")} against ${rehearsal.arms[0]?.name}`}
          lead={<Badge tone={stateWord(rehearsal).tone}>{stateWord(rehearsal).word}</Badge>}
          actions={<Actions rehearsal={rehearsal} />}
        >
          <Progress rehearsal={rehearsal} />
          <Verdicts rehearsal={rehearsal} />
          <Scorecard rehearsal={rehearsal} />
          <Picks rehearsal={rehearsal} />
          {hasEnded(rehearsal) ? <ForecastPanel rehearsal={rehearsal} /> : null}
          <ArmHistory id={rehearsal.id} />
          <PairList rehearsal={rehearsal} />
          <Plan rehearsal={rehearsal} />
        </Page>
      )}
    </Loaded>
  );
}

interface Props {
  readonly rehearsal: Rehearsal;
}

const ACTIONS = {
  pause: { label: "Pause", done: "The rehearsal is paused." },
  resume: { label: "Resume", done: "The rehearsal continues." },
  stop: { label: "Stop for good", done: "The rehearsal is stopped." },
} as const;
type Action = keyof typeof ACTIONS;

function Actions({ rehearsal: { id, state } }: Props) {
  const cache = useQueryClient();
  const change = useMutation({
    mutationFn: (action: Action) =>
      unwrap(api.POST(`/v1/rehearsals/{id}/${action}`, { params: { path: { id } } })),
    onSuccess: (changed, action) => {
      cache.setQueryData(rehearsalQuery(id).queryKey, changed);
      announce(ACTIONS[action].done);
    },
  });
  const actions: readonly Action[] =
    state === "running" ? ["pause", "stop"] : state === "paused" ? ["resume", "stop"] : [];
  return (
    <>
      {actions.map((action) => (
        <Button key={action} onPress={() => change.mutate(action)} isPending={change.isPending}>
          {ACTIONS[action].label}
        </Button>
      ))}
      {change.error ? <ProblemNotice problem={change.error} /> : null}
    </>
  );
}

function Progress({ rehearsal: { progress, inputs, spent_usd, budget_usd, fault } }: Props) {
  const { finished_inputs: finished } = progress;
  const failed = progress.requests.reduce((sum, one) => sum + one.failed, 0);
  return (
    <Panel title="Progress">
      {fault === null ? null : (
        <Notice tone="warn" title="No requests are made at the moment">
          <p>{fault}</p>
        </Notice>
      )}
      <Meter
        label="Finished inputs"
        value={finished}
        max={inputs}
        text={`${count(finished)} of ${count(inputs)}`}
      />
      <Meter
        label="Budget"
        value={spent_usd}
        max={budget_usd}
        text={`${dollars(spent_usd)} of ${dollars(budget_usd)}`}
      />
      {failed === 0 ? null : <p className="muted">{counted(failed, "request")} failed for good.</p>}
    </Panel>
  );
}

function Verdicts({ rehearsal: { report, state } }: Props) {
  return (
    <Panel title={state === "running" ? "So far" : "Verdict"}>
      <ul className="rehearsal-verdicts">
        {report.verdicts.map(({ treatment, verdict, is_cheaper, detail }) => (
          <li key={treatment}>
            <strong>{treatment}</strong>{" "}
            <Badge tone={verdictWord(verdict, state).tone}>{verdictWord(verdict, state).word}</Badge>{" "}
            {is_cheaper ? <Badge tone="good">Cheaper</Badge> : null}
            <p>{detail}</p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** How far people have picked; they can once it has ended. */
function Picks({ rehearsal }: Props) {
  const { id, judge, has_texts: hasTexts, report, picks_needed: needed } = rehearsal;
  if (judge.mode !== "pairwise" || !hasEnded(rehearsal)) return null;
  const rows = report.rows.filter(({ metric }) => metric === "preference");
  return (
    <Panel
      title="Blind picks"
      actions={
        hasTexts ? (
          <LinkButton to="/rehearsals/$id/picks" params={{ id }}>
            Pick blind
          </LinkButton>
        ) : null
      }
    >
      {rows.map(({ treatment, picks }) => (
        <Meter
          key={treatment}
          label={treatment}
          value={picks}
          max={needed}
          text={`${count(picks)} of ${count(needed)}`}
        />
      ))}
      <p className="muted">
        {`Once a treatment has ${count(needed)} picks, they correct the judge's preference for it. The pairs are drawn at random.`}
      </p>
    </Panel>
  );
}

function Plan({ rehearsal }: Props) {
  const {
    arms,
    judge,
    margin,
    repeats,
    stop_when_enough: stops,
    created_by,
    created_at,
    ended_at,
  } = rehearsal;
  return (
    <Panel title="Plan">
      <Facts
        facts={[
          ["Started", <Time key="at" at={created_at} />],
          ["By", created_by.name],
          ["Ended", ended_at === null ? "not yet" : <Time key="end" at={ended_at} />],
          [
            "Judge",
            `${judge.model}, ${judge.mode === "pairwise" ? "pairs in both orders" : `scores ${judge.scale}`}`,
          ],
          ["Largest acceptable loss", String(margin)],
          ["Answers of an arm to an input", String(repeats)],
          ["Stops early when enough is known", stops ? "yes" : "no"],
        ]}
      />
      <Disclosure title="Rubric">
        <LongText text={judge.rubric} />
      </Disclosure>
      {arms.map(({ name, prompt, model, parameters }) => (
        <Disclosure key={name} title={`${name}: ${model}`}>
          <LongText text={prompt ?? "No system message."} />
          {Object.keys(parameters).length === 0 ? null : (
            <LongText text={JSON.stringify(parameters, null, 2)} />
          )}
        </Disclosure>
      ))}
    </Panel>
  );
}
