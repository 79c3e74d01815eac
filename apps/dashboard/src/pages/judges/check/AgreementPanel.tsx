import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import { meanScoreInWords, type Scale } from "../../../format/judge-words.ts";
import { count, percent } from "../../../format/numbers.ts";
import { Disclosure } from "../../../ui/Disclosure.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { type Column, Table } from "../../../ui/Table.tsx";
import { agreementSentence, kappaInWords, partInWords } from "../judge-words.ts";
import type { Agreement, ArmAgreement } from "../queries.ts";

interface AgreementPanelProps {
  readonly agreement: Agreement;
  readonly scale: Scale;
  readonly colors: ReadonlyMap<string, string>;
}

interface Row extends ArmAgreement {
  /** Null: all variants. */
  readonly arm: string | null;
}

/** The meaning of a pass on each scale. */
const PASSES: Readonly<Record<Scale, string>> = {
  pass_fail: "",
  "1-5": " A pass is a 4 or a 5.",
  "0-1": " A pass is 0.5 or more.",
};

/** Agreement of judge and people, overall and by variant: different error rates bias the comparison. */
export function AgreementPanel({ agreement, scale, colors }: AgreementPanelProps) {
  const { overall, arms, categories } = agreement;
  if (overall.labels === 0) return <Unchecked />;
  const rows: readonly Row[] = [
    { arm: null, ...overall },
    ...Object.entries(arms).map(([arm, found]) => ({ arm, ...found })),
  ];
  return (
    <Panel title="Agreement with people">
      <p>{agreementSentence(overall)}</p>
      <p className="muted">
        False passes: answers that people fail and the judge passes. False fails: the reverse.{PASSES[scale]}{" "}
        If the rates differ between variants, the comparison is biased until labels correct it.
      </p>
      <Table<Row>
        caption="Agreement with people, by variant"
        isCaptionHidden
        narrow="stacks"
        rows={rows}
        rowKey={({ arm }) => arm ?? "all"}
        columns={columnsOf(scale, colors)}
      />
      <h3 className="check-heading">Confusion matrix</h3>
      <ConfusionMatrix caption="All variants" categories={categories} matrix={overall.matrix} />
      <Disclosure title="By variant">
        <div className="grid-2">
          {Object.entries(arms).map(([arm, { matrix }]) => (
            <ConfusionMatrix key={arm} caption={arm} categories={categories} matrix={matrix} />
          ))}
        </div>
      </Disclosure>
    </Panel>
  );
}

function Unchecked() {
  return (
    <Panel title="Agreement with people">
      <p>
        No labels yet. Label 30 answers (about ten minutes) to see how often the judge is right and where it
        is wrong.
      </p>
    </Panel>
  );
}

function columnsOf(scale: Scale, colors: ReadonlyMap<string, string>): readonly Column<Row>[] {
  const mean = (value: number | null) => (value === null ? "–" : meanScoreInWords(scale, value));
  return [
    {
      key: "arm",
      title: "Variant",
      cell: ({ arm }) =>
        arm === null ? <strong>All</strong> : <ArmLabel name={arm} color={colors.get(arm)} />,
    },
    { key: "labels", title: "Labels", isNumeric: true, cell: ({ labels }) => count(labels) },
    {
      key: "agreeing",
      title: "Same",
      isNumeric: true,
      cell: ({ agreeing, labels }) => (labels === 0 ? "–" : percent(agreeing / labels)),
    },
    { key: "kappa", title: "Kappa (95% CI)", isNumeric: true, cell: kappaInWords },
    { key: "passes", title: "False passes", isNumeric: true, cell: (row) => partInWords(row.false_passes) },
    { key: "fails", title: "False fails", isNumeric: true, cell: (row) => partInWords(row.false_fails) },
    {
      key: "means",
      title: "Mean: judge, people",
      isNumeric: true,
      cell: (row) => `${mean(row.mean_judge_score)}, ${mean(row.mean_label)}`,
    },
  ];
}

interface ConfusionMatrixProps {
  readonly caption: string;
  readonly categories: readonly string[];
  /** Rows are people's scores, columns the judge's. */
  readonly matrix: readonly (readonly number[])[];
}

/** Counts of answers by the scores of people and judge; the diagonal is highlighted. */
function ConfusionMatrix({ caption, categories, matrix }: ConfusionMatrixProps) {
  return (
    <section className="table-box" aria-label={`Judge and people: ${caption}`} tabIndex={0}>
      <table className="confusion">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <td />
            {categories.map((category) => (
              <th key={category} scope="col" className="numeric">
                Judge: {category}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrix.map((counts, row) => (
            <tr key={categories[row]}>
              <th scope="row">People: {categories[row]}</th>
              {counts.map((value, column) => (
                <td
                  key={categories[column]}
                  className={row === column ? "numeric confusion-same" : "numeric"}
                >
                  {count(value)}
                  {row === column ? <span className="visually-hidden"> (they agree)</span> : null}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
