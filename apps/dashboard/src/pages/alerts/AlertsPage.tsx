import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { Loaded } from "../../ui/Loaded.tsx";
import { Empty, Page, Panel } from "../../ui/Page.tsx";
import { ShownOnce } from "../../ui/ShownOnce.tsx";
import { ChannelForm } from "./ChannelForm.tsx";
import { ChannelTable } from "./ChannelTable.tsx";
import { DeliveriesPanel } from "./DeliveriesPanel.tsx";
import { channelsQuery, type ShownSecret } from "./queries.ts";
import "./alerts.css";

const MAX_CHANNELS = 10;

export default function AlertsPage() {
  const me = useMe();
  const { channel: chosen } = useSearch({ from: "/shell/alerts" });
  const channels = useQuery(channelsQuery());
  const [made, setMade] = useState<ShownSecret | null>(null);
  const shown = channels.data?.items.find(({ id }) => id === chosen);
  return (
    <Page
      title="Alerts"
      lead="Messages about experiments that are broken or ready, the judge, usage and keys. Each condition is reported once, until it has ended."
    >
      <p>
        Part of the <Link to="/settings">settings</Link>. Admins manage the channels; every change is in the{" "}
        <Link to="/audit">audit log</Link>.
      </p>
      <Panel title="Channels">
        {made === null ? null : (
          <ShownOnce
            key={made.secret}
            name={`Signing secret of ${made.channel}`}
            value={made.secret}
            onDone={() => setMade(null)}
          >
            <p>Copy it now. Receivers check each message with it. It disappears when you leave this page.</p>
          </ShownOnce>
        )}
        <Loaded query={channels}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="No channels yet">
                <p>Until you add one, nobody is notified when an experiment is broken or ready.</p>
              </Empty>
            ) : (
              <ChannelTable channels={items} onSecret={setMade} />
            )
          }
        </Loaded>
      </Panel>
      {shown === undefined ? null : <DeliveriesPanel key={shown.id} channel={shown} />}
      <Panel title="New channel">
        {!isAdmin(me) ? (
          <p>Ask an admin or owner to create a channel.</p>
        ) : (
          <Loaded query={channels} lines={3}>
            {({ items, email_configured: hasMail }) =>
              items.length < MAX_CHANNELS ? (
                <ChannelForm hasMail={hasMail} onSecret={setMade} />
              ) : (
                <p>Your organization has {MAX_CHANNELS} channels. Remove one before you create another.</p>
              )
            }
          </Loaded>
        )}
      </Panel>
    </Page>
  );
}
