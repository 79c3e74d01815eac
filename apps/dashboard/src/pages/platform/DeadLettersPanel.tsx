import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";
import { count, counted } from "../../format/numbers.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { platformQueries } from "./queries.ts";

type Letters = Wire<"DeadLetters">;
type Letter = Letters["items"][number];

/** Accepted batches that could not be stored; nothing without any. */
export function DeadLettersPanel() {
  const { data } = useQuery(platformQueries.deadLetters());
  return data === undefined || data.count === 0 ? null : <DeadLetters letters={data} />;
}

function DeadLetters({ letters }: { readonly letters: Letters }) {
  const cache = useQueryClient();
  const replay = useMutation({
    mutationFn: (ids: readonly string[] | null) =>
      unwrap(api.POST("/v1/admin/dead-letters/replay", { body: ids === null ? {} : { ids: [...ids] } })),
    onSuccess: async ({ replayed }) => {
      announce(`${counted(replayed, "batch", "batches")} put back into the queue.`);
      await cache.invalidateQueries({ queryKey: ["platform"] });
    },
  });
  return (
    <Panel
      title="Dead letters"
      actions={
        <Button onPress={() => replay.mutate(null)} isPending={replay.isPending}>
          Replay all
        </Button>
      }
    >
      <p>
        {counted(letters.count, "accepted batch", "accepted batches")} of events could not be stored. Fix the
        cause first, for example by updating Assay or the event store. Batches that fail again return here.
      </p>
      {replay.error ? <ProblemNotice problem={replay.error} /> : null}
      <LetterTable letters={letters} onReplay={(id) => replay.mutate([id])} isPending={replay.isPending} />
    </Panel>
  );
}

interface LetterTableProps {
  readonly letters: Letters;
  readonly onReplay: (id: string) => void;
  readonly isPending: boolean;
}

function LetterTable({ letters, onReplay, isPending }: LetterTableProps) {
  const { items } = letters;
  const caption = items.length < letters.count ? `The newest ${items.length}` : "Batches, newest first";
  return (
    <Table
      caption={caption}
      narrow="stacks"
      rows={items}
      rowKey={({ id }) => id}
      columns={[
        { key: "buried", title: "Failed", cell: ({ buried_at: at }) => <Time at={at} /> },
        { key: "received", title: "Received", cell: ({ received_at: at }) => <Time at={at} /> },
        {
          key: "org",
          title: "Organization",
          cell: ({ org_id: org }) => (org === null ? "none" : <code>{org}</code>),
        },
        { key: "why", title: "Why", cell: ({ reason }) => reason },
        { key: "bytes", title: "Bytes", isNumeric: true, cell: ({ bytes }) => count(bytes) },
        {
          key: "replay",
          title: "Replay",
          cell: (letter: Letter) => (
            <Button look="quiet" onPress={() => onReplay(letter.id)} isDisabled={isPending}>
              Replay
            </Button>
          ),
        },
      ]}
    />
  );
}
