import { count } from "../../../format/numbers.ts";

interface ConfusionMatrixProps {
  readonly caption: string;
  readonly categories: readonly string[];
  /** Rows are people's scores, columns the judge's. */
  readonly matrix: readonly (readonly number[])[];
}

/** Counts of answers by the scores of people and judge; the diagonal is highlighted. */
export function ConfusionMatrix({ caption, categories, matrix }: ConfusionMatrixProps) {
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
