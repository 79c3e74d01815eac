import { useInfiniteQuery } from "@tanstack/react-query";
import { dollars, milliseconds } from "../../format/numbers.ts";
import { Loaded, MoreButton } from "../../ui/Loaded.tsx";
import { LongText } from "../../ui/LongText.tsx";
import { Panel } from "../../ui/Page.tsx";
import { pairsQuery, type Rehearsal, type RehearsalPair } from "./queries.ts";

/** The inputs with the arms' answers side by side and the judge's verdicts. */
export function PairList({ rehearsal: { id, has_texts: hasTexts } }: { readonly rehearsal: Rehearsal }) {
  const query = useInfiniteQuery(pairsQuery(id));
  return (
    <Panel title="Answers">
      {hasTexts ? null : <p className="muted">The texts were removed with their dataset.</p>}
      <Loaded query={query}>
        {({ pages }) => (
          <>
            {pages
              .flatMap(({ items }) => items)
              .map((pair) => (
                <Pair key={pair.item_id} pair={pair} />
              ))}
            {pages[0]?.items.length === 0 ? <p className="muted">No input has been started yet.</p> : null}
          </>
        )}
      </Loaded>
      <MoreButton query={query}>Show more</MoreButton>
    </Panel>
  );
}

function Pair({ pair: { item_id, messages, answers, judgements } }: { readonly pair: RehearsalPair }) {
  const input = messages?.at(-1)?.text;
  return (
    <article className="rehearsal-pair" aria-label={input?.slice(0, 100) ?? item_id}>
      <LongText
        text={
          messages === null
            ? "The input is no longer stored."
            : messages.map(({ role, text }) => `${role}: ${text}`).join("\n\n")
        }
      />
      <div className="rehearsal-answers">
        {answers.map(({ arm, repeat, text, detail, latency_ms, cost_usd }) => (
          <div key={`${arm} ${repeat}`}>
            <h3>
              {arm}
              {repeat === 0 ? "" : `, repeat ${repeat + 1}`}
            </h3>
            <LongText text={text ?? detail ?? "There is no answer."} />
            <p className="muted">
              {[
                ...(latency_ms === null ? [] : [milliseconds(latency_ms)]),
                ...(cost_usd === null ? [] : [dollars(cost_usd)]),
              ].join(" · ")}
            </p>
          </div>
        ))}
      </div>
      <ul>
        {judgements.map((judgement) => (
          <li key={`${judgement.treatment} ${judgement.repeat} ${judgement.first}`}>
            {judgementText(judgement)}
          </li>
        ))}
      </ul>
    </article>
  );
}

function judgementText(judgement: RehearsalPair["judgements"][number]): string {
  const { treatment, first, preference, score, reason, detail } = judgement;
  const why = reason ?? detail ?? "";
  if (first === null) return `${treatment}: ${score ?? "no score"}. ${why}`;
  const better =
    preference === null
      ? "no judgement"
      : preference === "tie"
        ? "neither is better"
        : `${preference === "treatment" ? treatment : "control"} is better`;
  return `${treatment} shown ${first === "control" ? "second" : "first"}: ${better}. ${why}`;
}
