import { armColumn } from "../../../charts/ArmLabel.tsx";
import { armColors } from "../../../charts/arms.ts";
import { percent } from "../../../format/numbers.ts";
import { utc } from "../../../format/times.ts";
import { Exact } from "../../../ui/Exact.tsx";
import { SelectField } from "../../../ui/Field.tsx";
import { Table } from "../../../ui/Table.tsx";
import { WordDiff } from "../../../ui/WordDiff.tsx";
import { comparedVersions, type Version } from "./version-changes.ts";

interface Compared {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface VersionComparisonProps {
  /** Newest first. */
  readonly versions: readonly Version[];
  /** The search part of the URL. */
  readonly search: Compared;
  readonly onSearch: (change: Compared) => void;
}

/** Two versions side by side: shares in force, and prompts word by word. */
export function VersionComparison({ versions, search, onSearch }: VersionComparisonProps) {
  const pair = comparedVersions(versions, search);
  if (pair === null || versions.length < 2)
    return (
      <p className="muted">
        There is only one version so far. Each change creates another one to compare with.
      </p>
    );
  const [before, after] = pair;
  const options = versions.map(({ version, updated_at }) => ({
    value: String(version),
    label: `Version ${version}`,
    detail: utc(updated_at),
  }));
  return (
    <div className="version-comparison">
      <div className="version-choice">
        <SelectField
          label="Before"
          options={options}
          value={String(before.version)}
          onChange={(from) => onSearch({ from, to: String(after.version) })}
        />
        <SelectField
          label="After"
          options={options}
          value={String(after.version)}
          onChange={(to) => onSearch({ from: String(before.version), to })}
        />
      </div>
      <Shares before={before} after={after} />
      <Prompts before={before} after={after} />
    </div>
  );
}

interface PairProps {
  readonly before: Version;
  readonly after: Version;
}

function keysOf({ before, after }: PairProps): readonly string[] {
  return [...new Set([...(after.variants ?? []), ...(before.variants ?? [])].map(({ key }) => key))];
}

function Shares({ before, after }: PairProps) {
  const keys = keysOf({ before, after });
  const colors = armColors(keys, after.control ?? "");
  const share = (version: Version, key: string) => (
    <Exact value={version.effective_allocation[key]} write={percent} />
  );
  return (
    <>
      <h3>Share of users in force</h3>
      <Table
        caption="Each variant's share in force, before and after"
        isCaptionHidden
        rows={keys}
        rowKey={(key) => key}
        columns={[
          armColumn((key: string) => key, colors),
          {
            key: "then",
            title: `Version ${before.version}`,
            isNumeric: true,
            cell: (key) => share(before, key),
          },
          {
            key: "now",
            title: `Version ${after.version}`,
            isNumeric: true,
            cell: (key) => share(after, key),
          },
        ]}
      />
    </>
  );
}

function Prompts({ before, after }: PairProps) {
  const promptOf = ({ variants = [] }: Version, key: string) =>
    variants.find((variant) => variant.key === key)?.prompt ?? "";
  const changed = keysOf({ before, after }).filter((key) => promptOf(before, key) !== promptOf(after, key));
  return (
    <>
      <h3>Prompts</h3>
      {changed.length === 0 ? <p>No prompts changed between these versions.</p> : null}
      {changed.map((key) => (
        <section key={key} aria-label={`Prompt of ${key}`}>
          <h4>{key}</h4>
          <WordDiff
            before={promptOf(before, key)}
            after={promptOf(after, key)}
            label={`What changed in the prompt of ${key}`}
          />
        </section>
      ))}
    </>
  );
}
