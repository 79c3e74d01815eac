import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, unwrap } from "../../api/client.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/Button.tsx";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { answerText, channelState, KIND_WORDS, takesText, targetText } from "./alert-words.ts";
import { EditChannel } from "./EditChannel.tsx";
import { type Channel, channelsQuery, deliveriesQuery, type ShownSecret } from "./queries.ts";
import { RemoveChannel, RotateSecret } from "./RemoveOrRotate.tsx";

interface ChannelTableProps {
  readonly channels: readonly Channel[];
  readonly onSecret: (secret: ShownSecret) => void;
}

/** The channels, with what admins do with them. */
export function ChannelTable({ channels, onSecret }: ChannelTableProps) {
  const me = useMe();
  return (
    <Table
      caption="Alert channels, by name"
      isCaptionHidden
      narrow="stacks"
      rows={channels}
      rowKey={({ id }) => id}
      columns={[
        { key: "name", title: "Channel", cell: Name },
        { key: "takes", title: "Alerts", cell: takesText },
        { key: "state", title: "State", cell: State },
        {
          key: "actions",
          title: "Actions",
          cell: (channel) => <Actions channel={channel} isAdmin={isAdmin(me)} onSecret={onSecret} />,
        },
      ]}
    />
  );
}

function Name(channel: Channel) {
  return (
    <span className="alert-name">
      {channel.name}
      <span className="muted">
        {KIND_WORDS[channel.kind].label}: {targetText(channel)}
      </span>
    </span>
  );
}

function State(channel: Channel) {
  const { word, tone } = channelState(channel);
  const { failing_since: since, previous_secret_until: until } = channel;
  return (
    <span className="alert-name">
      <Badge tone={tone}>{word}</Badge>
      {channel.on && since !== null ? (
        <span className="muted">
          Deliveries have failed since <Time at={since} />. Assay still tries to deliver new alerts.
        </span>
      ) : null}
      {until === null ? null : (
        <span className="muted">
          The previous secret also signs until <Time at={until} />.
        </span>
      )}
    </span>
  );
}

interface ActionsProps {
  readonly channel: Channel;
  readonly isAdmin: boolean;
  readonly onSecret: (secret: ShownSecret) => void;
}

function Actions({ channel, isAdmin, onSecret }: ActionsProps) {
  const { id, name, kind } = channel;
  return (
    <div className="alert-actions">
      <Link
        to="/alerts"
        search={{ channel: id }}
        className="button button-plain"
        aria-label={`Deliveries to ${name}`}
      >
        Deliveries
      </Link>
      {isAdmin ? (
        <>
          <Test channel={channel} />
          <EditChannel channel={channel} />
          {kind === "webhook" ? <RotateSecret channel={channel} onSecret={onSecret} /> : null}
          <RemoveChannel channel={channel} />
        </>
      ) : null}
    </div>
  );
}

/** Sends a message at once, and shows what the receiver answers. */
function Test({ channel: { id, name } }: { readonly channel: Channel }) {
  const cache = useQueryClient();
  const test = useMutation({
    mutationFn: () => unwrap(api.POST("/v1/alert-channels/{id}/test", { params: { path: { id } } })),
    onSuccess: async ({ status }) => {
      announce(
        status === "delivered" ? `${name} received the test message.` : `The test message to ${name} failed.`,
      );
      await Promise.all([
        cache.invalidateQueries(channelsQuery()),
        cache.invalidateQueries(deliveriesQuery(id)),
      ]);
    },
  });
  const { data } = test;
  return (
    <>
      <Button
        onPress={() => test.mutate()}
        isPending={test.isPending}
        aria-label={`Send a test message to ${name}`}
      >
        Test
      </Button>
      {data === undefined ? null : (
        <Notice
          tone={data.status === "delivered" ? "good" : "bad"}
          title={data.status === "delivered" ? "The test message arrived" : "The test message failed"}
        >
          <p>{answerText(data)}</p>
        </Notice>
      )}
      {test.error ? <ProblemNotice problem={test.error} /> : null}
    </>
  );
}
