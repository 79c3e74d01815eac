import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { counted } from "../../format/numbers.ts";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { LongText } from "../../ui/LongText.tsx";
import { Meter } from "../../ui/Meter.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Empty, Page } from "../../ui/Page.tsx";
import { PickButtons } from "../experiment/compare/PickButtons.tsx";
import { PlacedComparison } from "../experiment/compare/PlacedComparison.tsx";
import { type PickQueue, pickQueueQuery } from "./queries.ts";
import { type PickDesk, usePickDesk } from "./use-pick-desk.ts";
import "../experiment/compare/compare.css";
import "./rehearsals.css";

/** People pick the better of two answers without knowing the arms. The arms stay hidden, so that later picks are blind too. */
export default function PickPage() {
  const { id } = useParams({ from: "/shell/rehearsals/$id/picks" });
  const query = useQuery(pickQueueQuery(id));
  return (
    <Page
      title="Pick blind"
      lead="The arms and the judge's preference are hidden, so that they do not influence you."
      actions={
        <LinkButton to="/rehearsals/$id" params={{ id }}>
          View the rehearsal
        </LinkButton>
      }
    >
      <Loaded query={query} lines={12}>
        {(queue) => (
          <Pairs
            key={queue.items[0]?.id ?? ""}
            id={id}
            queue={queue}
            isLoading={query.isFetching}
            onMore={() => query.refetch()}
          />
        )}
      </Loaded>
    </Page>
  );
}

interface PairsProps {
  readonly id: string;
  readonly queue: PickQueue;
  readonly isLoading: boolean;
  readonly onMore: () => void;
}

function Pairs({ id, queue, isLoading, onMore }: PairsProps) {
  const { items, needed, rubric } = queue;
  const desk = usePickDesk(id, queue);
  return (
    <div className="compare">
      <Meter
        label="Picks for the treatment with the fewest"
        value={desk.total}
        max={needed}
        text={`${desk.total} of ${needed}`}
      />
      <Disclosure title="Rubric: what makes an answer better">
        <LongText text={rubric} />
      </Disclosure>
      {items.length === 0 ? (
        <Empty title="No pairs to pick">
          <p>
            Each pair of different answers that the judge compared has a pick, or its texts are no longer
            stored.
          </p>
        </Empty>
      ) : (
        <p className="compare-count">
          <span role="status">{`${desk.picked.size} of ${counted(items.length, "pair")} picked. `}</span>
          <span className="compare-keys">
            <kbd>J</kbd> <kbd>K</kbd> next and previous · <kbd>1</kbd> <kbd>2</kbd> <kbd>0</kbd> pick
          </span>
        </p>
      )}
      {items.map((pair, place) => (
        <PairToPick key={pair.id} pair={pair} desk={desk} place={place} />
      ))}
      {desk.picked.size < items.length || items.length === 0 ? null : (
        <Button look="primary" onPress={onMore} isPending={isLoading}>
          Show more pairs
        </Button>
      )}
    </div>
  );
}

interface PairToPickProps {
  readonly pair: PickQueue["items"][number];
  readonly desk: PickDesk;
  readonly place: number;
}

function PairToPick({ pair: { id, messages, reference, first, second }, desk, place }: PairToPickProps) {
  const isCurrent = desk.current === place;
  const best = desk.picked.get(id);
  const question = messages.at(-1)?.text ?? "";
  return (
    <PlacedComparison question={question} places={desk} place={place}>
      <header className="comparison-head">
        <h2 dir="auto">{question}</h2>
      </header>
      {messages.length === 1 ? null : (
        <Disclosure title="Conversation before it">
          <LongText
            text={messages
              .slice(0, -1)
              .map(({ role, text }) => `${role}: ${text}`)
              .join("\n\n")}
          />
        </Disclosure>
      )}
      {reference === null ? null : (
        <Disclosure title="An answer that is known to be good">
          <LongText text={reference} />
        </Disclosure>
      )}
      <div className="comparison-answers" style={{ "--answers": 2 } as React.CSSProperties}>
        {[first, second].map((text, index) => (
          <article key={index === 0 ? "first" : "second"} className="comparison-answer">
            <h3>
              Answer {index + 1}
              {best === index ? <span className="good"> ✓ your pick</span> : null}
            </h3>
            <div className="comparison-text" dir="auto">
              {text}
            </div>
          </article>
        ))}
      </div>
      {best === null ? <p className="muted">✓ Your pick: all the same.</p> : null}
      <PickButtons answers={2} onPick={(index) => desk.pick(place, index)} />
      {isCurrent && desk.problem !== null ? <ProblemNotice problem={desk.problem} /> : null}
    </PlacedComparison>
  );
}
