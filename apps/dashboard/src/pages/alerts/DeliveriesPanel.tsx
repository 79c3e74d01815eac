import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { Loaded, MoreButton } from "../../ui/Loaded.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { answerText, deliveryState, messageText } from "./alert-words.ts";
import { type Channel, type Delivery, deliveriesQuery } from "./queries.ts";

/** What was sent to a channel, newest first. */
export function DeliveriesPanel({ channel }: { readonly channel: Channel }) {
  const me = useMe();
  const deliveries = useInfiniteQuery(deliveriesQuery(channel.id));
  const mayReplay = isAdmin(me) && channel.on;
  return (
    <Panel
      title={`Deliveries to ${channel.name}`}
      actions={
        <LinkButton to="/alerts" look="quiet">
          Close
        </LinkButton>
      }
    >
      <Loaded query={deliveries}>
        {({ pages }) => (
          <Table
            caption="Deliveries of the last 30 days, newest first"
            narrow="stacks"
            rows={pages.flatMap(({ items }) => items)}
            rowKey={({ id }) => id}
            empty={
              <p className="muted">Nothing has been sent yet. Send a test message to try the channel.</p>
            }
            columns={[
              { key: "message", title: "Message", cell: ({ message }: Delivery) => messageText(message) },
              { key: "at", title: "Raised", cell: ({ created_at: at }) => <Time at={at} /> },
              { key: "state", title: "State", cell: State },
              { key: "answer", title: "Last answer", cell: Answer },
              ...(mayReplay
                ? [
                    {
                      key: "replay",
                      title: "Actions",
                      cell: (one: Delivery) => <Replay channel={channel} delivery={one} />,
                    },
                  ]
                : []),
            ]}
          />
        )}
      </Loaded>
      <MoreButton query={deliveries}>Show older deliveries</MoreButton>
    </Panel>
  );
}

function State(delivery: Delivery) {
  const { word, tone } = deliveryState(delivery);
  const { attempts, next_at: next } = delivery;
  return (
    <span className="alert-name">
      <Badge tone={tone}>{word}</Badge>
      <span className="muted">
        {attempts === 1 ? "1 attempt" : `${attempts} attempts`}
        {next === null ? null : (
          <>
            , next <Time at={next} isRelative />
          </>
        )}
      </span>
    </span>
  );
}

function Answer(delivery: Delivery) {
  return <span className="alert-answer">{answerText(delivery)}</span>;
}

interface ReplayProps {
  readonly channel: Channel;
  readonly delivery: Delivery;
}

function Replay({ channel: { id }, delivery }: ReplayProps) {
  const cache = useQueryClient();
  const replay = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/v1/alert-channels/{id}/deliveries/{delivery_id}/replay", {
          params: { path: { id, delivery_id: delivery.id } },
        }),
      ),
    onSuccess: async () => {
      announce("The message is being sent again.");
      await cache.invalidateQueries(deliveriesQuery(id));
    },
  });
  if (delivery.status === "waiting") return "Will be retried";
  return (
    <>
      <Button
        onPress={() => replay.mutate()}
        isPending={replay.isPending}
        aria-label={`Send again: ${messageText(delivery.message)}`}
      >
        Send again
      </Button>
      {replay.error ? <ProblemNotice problem={replay.error} /> : null}
    </>
  );
}
