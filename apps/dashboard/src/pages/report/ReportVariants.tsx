import type { Experiment } from "../../api/types.ts";
import { ArmLabel } from "../../charts/ArmLabel.tsx";
import { armsOf } from "../../charts/arms.ts";
import { percent } from "../../format/numbers.ts";
import { Panel } from "../../ui/Page.tsx";

/** The variants with their share, prompt and variables. */
export function ReportVariants({ experiment }: { readonly experiment: Experiment }) {
  const { control, keys, colors } = armsOf(experiment);
  const variantOf = (key: string) => experiment.variants?.find((one) => one.key === key);
  return (
    <Panel title="Variants">
      <div className="report-variants">
        {keys.map((key) => {
          const { prompt = null, variables = null, description = null } = variantOf(key) ?? {};
          const share = percent(experiment.effective_allocation[key] ?? 0);
          return (
            <section key={key} aria-label={`Variant ${key}`}>
              <h3>
                <ArmLabel name={key} color={colors.get(key)} />
              </h3>
              <p className="muted">
                {key === control ? "Control, " : ""}
                {share} of all users
              </p>
              {description ? <p className="report-text">{description}</p> : null}
              {prompt ? <pre className="report-code">{prompt}</pre> : <p className="muted">No prompt.</p>}
              {variables ? <pre className="report-code">{JSON.stringify(variables, null, 2)}</pre> : null}
            </section>
          );
        })}
      </div>
    </Panel>
  );
}
