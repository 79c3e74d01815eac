import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import type { Experiment, Results } from "../../api/types.ts";
import { ArmLabel } from "../../charts/ArmLabel.tsx";
import { armsOf } from "../../charts/arms.ts";
import { percent } from "../../format/numbers.ts";
import { Loaded } from "../../ui/Loaded.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Time } from "../../ui/Time.tsx";
import { type RunText, textsOfRun, versionOfRun } from "./run-texts.ts";

interface ReportVariantsProps {
  readonly experiment: Experiment;
  readonly run: Results | null;
}

/** The variants with their share, prompt and variables: those that the run's users got; without a run, today's. */
export function ReportVariants({ experiment, run }: ReportVariantsProps) {
  const versions = useQuery({ ...queries.versions(experiment.id), enabled: run !== null });
  if (run === null) return <Variants version={experiment} textsOf={(key) => todaysText(experiment, key)} />;
  return (
    <Loaded query={versions}>
      {(all) => (
        <Variants
          version={versionOfRun(all, run) ?? experiment}
          textsOf={(key) => textsOfRun(all, run, key)}
        />
      )}
    </Loaded>
  );
}

function todaysText({ variants = [] }: Experiment, key: string): readonly RunText[] {
  return variants.filter((variant) => variant.key === key).map((variant) => ({ ...variant, since: null }));
}

interface VariantsProps {
  readonly version: Experiment;
  readonly textsOf: (key: string) => readonly RunText[];
}

function Variants({ version, textsOf }: VariantsProps) {
  const { control, keys, colors } = armsOf(version);
  return (
    <Panel title="Variants">
      <div className="report-variants">
        {keys.map((key) => {
          const description = version.variants?.find((one) => one.key === key)?.description;
          return (
            <section key={key} aria-label={`Variant ${key}`}>
              <h3>
                <ArmLabel name={key} color={colors.get(key)} />
              </h3>
              <p className="muted">
                {key === control ? "Control, " : ""}
                {percent(version.effective_allocation[key] ?? 0)} of all users
              </p>
              {description ? <p className="report-text">{description}</p> : null}
              {textsOf(key).map((text, index, all) => (
                <Text key={text.since ?? "start"} text={text} next={all[index + 1] ?? null} />
              ))}
            </section>
          );
        })}
      </div>
    </Panel>
  );
}

interface TextProps {
  readonly text: RunText;
  /** What replaced it during the run. */
  readonly next: RunText | null;
}

function Text({ text: { prompt, variables, since }, next }: TextProps) {
  const isOnly = since === null && next === null;
  return (
    <>
      {isOnly ? null : (
        <p className="muted">
          {since === null ? (
            "At first"
          ) : (
            <>
              From <Time at={since} />
            </>
          )}
          {next?.since ? (
            <>
              {" "}
              until <Time at={next.since} />
            </>
          ) : null}
          :
        </p>
      )}
      {prompt ? <pre className="report-code">{prompt}</pre> : <p className="muted">No prompt.</p>}
      {variables ? <pre className="report-code">{JSON.stringify(variables, null, 2)}</pre> : null}
    </>
  );
}
