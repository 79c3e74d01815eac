import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../../api/queries.ts";
import type { Experiment, Results } from "../../api/types.ts";
import { ArmLabel } from "../../charts/ArmLabel.tsx";
import { armsOf } from "../../charts/arms.ts";
import { percent } from "../../format/numbers.ts";
import { Checkbox } from "../../ui/Field.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Panel } from "../../ui/Page.tsx";
import { type NamedPrompt, PromptDiff } from "../../ui/PromptDiff.tsx";
import { Time } from "../../ui/Time.tsx";
import { type RunText, textAt, textsOfRun, versionOfRun } from "./run-texts.ts";

interface ReportVariantsProps {
  readonly experiment: Experiment;
  readonly run: Results | null;
}

/** The variants with share, prompt and variables as the run's users got them. Without a run, shows today's. */
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
  const [isDiff, setDiff] = useState(false);
  const ofControl = textsOf(control);
  return (
    <Panel
      title="Variants"
      actions={
        ofControl.some(({ prompt }) => prompt) && keys.length > 1 ? (
          <div className="report-actions">
            <Checkbox isSelected={isDiff} onChange={setDiff}>
              Show differences from control
            </Checkbox>
          </div>
        ) : null
      }
    >
      {isDiff ? (
        <p className="muted">
          Prompts are compared with the prompt of {control}: added words are underlined, removed words are
          struck out.
        </p>
      ) : null}
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
                <Text
                  key={text.since ?? "start"}
                  // Apart from each other where a variant had several.
                  name={text.since === null ? key : `${key} from ${text.since}`}
                  text={text}
                  next={all[index + 1] ?? null}
                  base={
                    isDiff && key !== control
                      ? { name: control, prompt: textAt(ofControl, text.since)?.prompt }
                      : null
                  }
                />
              ))}
            </section>
          );
        })}
      </div>
    </Panel>
  );
}

interface TextProps {
  /** Names the variant's text. */
  readonly name: string;
  readonly text: RunText;
  /** What replaced it during the run. */
  readonly next: RunText | null;
  /** The control's prompt at that time, to compare with. Null: show the prompt without a comparison. */
  readonly base: NamedPrompt | null;
}

function Text({ name, text: { prompt, variables, since }, next, base }: TextProps) {
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
      {prompt ? (
        <PromptDiff name={name} prompt={prompt} base={base}>
          <pre className="report-code">{prompt}</pre>
        </PromptDiff>
      ) : (
        <p className="muted">No prompt.</p>
      )}
      {variables ? <pre className="report-code">{JSON.stringify(variables, null, 2)}</pre> : null}
    </>
  );
}
