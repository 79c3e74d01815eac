import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { SelectField } from "../../ui/Field.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";
import { ShownOnce } from "../../ui/ShownOnce.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";

const linksQuery = (id: string) =>
  queryOptions({
    queryKey: ["experiment", id, "report-links"],
    queryFn: () => unwrap(api.GET("/v1/experiments/{id}/report-links", { params: { path: { id } } })),
  });

const DAYS = [1, 7, 30, 90].map((days) => ({
  value: String(days),
  label: days === 1 ? "1 day" : `${days} days`,
}));

/** Links that show this report to people without an account. */
export function ShareReport({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>Share…</Button>
      {isOpen ? (
        <Dialog title="Share this report" isOpen onClose={() => setOpen(false)}>
          <Links id={id} />
        </Dialog>
      ) : null}
    </>
  );
}

function Links({ id }: { readonly id: string }) {
  const links = useQuery(linksQuery(id));
  return (
    <Loaded query={links} lines={3}>
      {({ allowed, items }) => (
        <>
          {allowed ? (
            <NewLink id={id} />
          ) : (
            <Notice tone="info" title="Your organization does not allow links">
              <p>An admin can allow them under Settings. Until then, existing links show nothing.</p>
            </Notice>
          )}
          {items.length === 0 ? null : (
            <Table
              caption="Valid links"
              rows={items}
              rowKey={(link) => link.id}
              columns={[
                { key: "by", title: "Made by", cell: ({ created_by }) => created_by.name },
                { key: "at", title: "On", cell: ({ created_at }) => <Time at={created_at} /> },
                { key: "until", title: "Valid until", cell: ({ expires_at }) => <Time at={expires_at} /> },
                { key: "revoke", title: "Action", cell: (link) => <Revoke id={id} linkId={link.id} /> },
              ]}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

function NewLink({ id }: { readonly id: string }) {
  const cache = useQueryClient();
  const [days, setDays] = useState("7");
  const making = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/v1/experiments/{id}/report-links", {
          params: { path: { id } },
          body: { expires_in_days: Number(days) },
        }),
      ),
    onSuccess: () => cache.invalidateQueries(linksQuery(id)),
  });
  return (
    <>
      <p>
        Anybody with the link can read the newest report of this experiment, including its prompts, without an
        account. They cannot change anything or see anything else.
      </p>
      <div className="row report-share">
        <SelectField label="Valid for" options={DAYS} value={days} onChange={setDays} />
        <Button look="primary" onPress={() => making.mutate()} isPending={making.isPending}>
          Make a link
        </Button>
      </div>
      {making.error ? <ProblemNotice problem={making.error} /> : null}
      {making.data === undefined ? null : (
        <ShownOnce
          name="The link"
          value={`${location.origin}${making.data.path}`}
          onDone={() => making.reset()}
          done="I have copied it"
        >
          <p>Copy it now: it is not shown again.</p>
        </ShownOnce>
      )}
    </>
  );
}

function Revoke({ id, linkId }: { readonly id: string; readonly linkId: string }) {
  const cache = useQueryClient();
  const revoking = useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE("/v1/experiments/{id}/report-links/{link_id}", {
          params: { path: { id, link_id: linkId } },
        }),
      ),
    onSuccess: async () => {
      announce("The link is revoked.");
      await cache.invalidateQueries(linksQuery(id));
    },
  });
  return (
    <>
      <Button look="quiet" onPress={() => revoking.mutate()} isPending={revoking.isPending}>
        Revoke
      </Button>
      {revoking.error ? <ProblemNotice problem={revoking.error} /> : null}
    </>
  );
}
