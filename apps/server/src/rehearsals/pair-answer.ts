import type { DatasetItem, Rehearsal, RehearsalPair, RehearsalText } from "@assay/domain";
import type { Deps } from "../deps.ts";

/** Builds the answer for an input, with the arms' answers and the judge's verdict. The dataset has the input's texts. */
export async function pairAnswer(
  { orgId, plan }: Rehearsal,
  { input, records }: RehearsalPair,
  { control }: { readonly control: Pick<Deps["control"], "datasets"> },
) {
  const range = { after: input.position - 1, limit: 1 };
  const [item] = await control.datasets.listItems(orgId, plan.datasetId, range);
  const known: DatasetItem | null = item?.id === input.itemId ? item : null;
  const armOf = ({ arm }: RehearsalText) => plan.arms[arm]?.name ?? "";
  const answers = records.filter(({ kind }) => kind === "answer");
  const judgements = records.filter(({ kind }) => kind !== "answer");
  return {
    ...{ itemId: input.itemId, userId: input.userId },
    messages: known && [...known.messages],
    reference: known?.reference ?? null,
    answers: answers.map((record) => ({ ...record, arm: armOf(record) })),
    judgements: judgements.map((record) => ({ ...record, treatment: armOf(record) })),
  };
}
