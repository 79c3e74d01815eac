import { useState } from "react";
import type { Experiment } from "../../../api/types.ts";
import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import { armsOf } from "../../../charts/arms.ts";
import { type VariantShare, variantShares } from "../../../format/allocation.ts";
import { number, percent } from "../../../format/numbers.ts";
import { Badge } from "../../../ui/Badge.tsx";
import { CopyButton } from "../../../ui/Copy.tsx";
import { Facts } from "../../../ui/Facts.tsx";
import { SelectField } from "../../../ui/Field.tsx";
import { LongText } from "../../../ui/LongText.tsx";
import { type NamedPrompt, PromptDiff } from "../../../ui/PromptDiff.tsx";

type Variant = NonNullable<Experiment["variants"]>[number];

/** The variants side by side: prompt, variables, weight and current share. */
export function VariantCards({ experiment }: { readonly experiment: Experiment }) {
  const { variants = [], control = "" } = experiment;
  const { keys, colors } = armsOf(experiment);
  const [comparedWith, compareWith] = useState("");
  const base = variants.find(({ key }) => key === comparedWith) ?? null;
  const shares = new Map(variantShares(experiment).map((share) => [share.variant, share]));
  return (
    <>
      {variants.filter(({ prompt }) => prompt).length > 1 ? (
        <div className="setup-compare">
          <SelectField
            label="Compare prompts with"
            options={[
              { value: "", label: "Nothing" },
              ...keys.map((key) => ({
                value: key,
                label: key,
                ...(key === control ? { detail: "Control" } : {}),
              })),
            ]}
            value={base?.key ?? ""}
            onChange={compareWith}
          />
        </div>
      ) : null}
      <div className="variant-cards">
        {variants.map((variant) => (
          <VariantCard
            key={variant.key}
            variant={variant}
            color={colors.get(variant.key)}
            share={shares.get(variant.key)}
            isControl={variant.key === control}
            base={base === null ? null : { name: base.key, prompt: base.prompt }}
          />
        ))}
      </div>
    </>
  );
}

interface VariantCardProps {
  readonly variant: Variant;
  readonly color: string | undefined;
  readonly share: VariantShare | undefined;
  readonly isControl: boolean;
  /** The prompt that this one is compared with; null: none. */
  readonly base: NamedPrompt | null;
}

function VariantCard({ variant, color, share, isControl, base }: VariantCardProps) {
  const { key, prompt, variables, description, enabled = true } = variant;
  return (
    <article className="variant-card">
      <header className="row">
        <h3>
          <ArmLabel name={key} color={color} />
        </h3>
        {isControl ? <Badge tone="quiet">Control</Badge> : null}
        {enabled ? null : (
          <Badge tone="warn" title="Its users get control behavior; its buckets go to no other variant.">
            Disabled
          </Badge>
        )}
      </header>
      {description ? <p className="setup-text">{description}</p> : null}
      <Facts
        facts={[
          ["Weight", share === undefined ? "none" : number(share.weight)],
          [
            "Share in force",
            share === undefined ? (
              "none"
            ) : (
              <span key="share" title={String(share.inForce)}>
                {percent(share.inForce)}
              </span>
            ),
          ],
        ]}
      />
      <h4>Prompt</h4>
      {prompt ? (
        <>
          <PromptDiff name={key} prompt={prompt} base={base}>
            <LongText text={prompt} />
          </PromptDiff>
          <CopyButton text={prompt} label={`Copy the prompt of ${key}`} />
        </>
      ) : (
        <p className="muted">None. The application uses its own prompt.</p>
      )}
      <h4>Variables</h4>
      {variables && Object.keys(variables).length > 0 ? (
        <LongText text={JSON.stringify(variables, null, 2)} />
      ) : (
        <p className="muted">None.</p>
      )}
    </article>
  );
}
