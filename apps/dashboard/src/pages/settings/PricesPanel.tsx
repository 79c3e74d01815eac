import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";
import { count, dollars } from "../../format/numbers.ts";
import { day } from "../../format/times.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { ConfirmButton } from "../../ui/ConfirmButton.tsx";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { TextField } from "../../ui/Field.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Panel } from "../../ui/Page.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import { PriceForm } from "./PriceForm.tsx";
import { pricesQuery } from "./queries.ts";

type Price = Wire<"Price">;

const MAX_SHOWN = 100;

const usd = (value: number | null) => (value === null ? "–" : dollars(value));

const both = (first: number | null, second: number | null) =>
  first === null && second === null ? "–" : `${usd(first)}, ${usd(second)}`;

const COLUMNS: readonly Column<Price>[] = [
  { key: "model", title: "Model", cell: ({ model }) => <code>{model}</code> },
  { key: "from", title: "From", cell: ({ effective_from: from }) => day(from) },
  { key: "input", title: "Input", isNumeric: true, cell: (price) => usd(price.input_usd_per_million) },
  {
    key: "cached",
    title: "Cached",
    isNumeric: true,
    cell: (price) => usd(price.cached_input_usd_per_million),
  },
  { key: "output", title: "Output", isNumeric: true, cell: (price) => usd(price.output_usd_per_million) },
  {
    key: "reasoning",
    title: "Reasoning",
    isNumeric: true,
    cell: (price) => usd(price.reasoning_usd_per_million),
  },
  {
    key: "writes",
    title: "Cache writes (5 min, 1 h)",
    isNumeric: true,
    cell: (price) => both(price.cache_write_5m_usd_per_million, price.cache_write_1h_usd_per_million),
  },
  {
    key: "audio",
    title: "Audio (in, out)",
    isNumeric: true,
    cell: (price) => both(price.audio_input_usd_per_million, price.audio_output_usd_per_million),
  },
];

/** The prices of model calls that are sent without a cost. */
export function PricesPanel() {
  const me = useMe();
  const prices = useQuery(pricesQuery());
  return (
    <Panel title="Prices of models">
      <p>
        A call that is sent with a cost keeps it. Other calls are priced by their tokens, at the prices in
        force on the day their experiment was created, so new prices do not change results. Your own price
        overrides the built-in one for the same model and day. If you set it again, the correction applies
        from each experiment's next run on.
      </p>
      <Loaded query={prices}>
        {({ items }) => (
          <>
            <OwnPrices prices={items.filter(({ source }) => source === "org")} canChange={isAdmin(me)} />
            {isAdmin(me) ? (
              <Disclosure title="Set your own price">
                <PriceForm />
              </Disclosure>
            ) : (
              <p className="muted">Ask an admin or owner to set your own prices.</p>
            )}
            <BuiltInPrices prices={items.filter(({ source }) => source === "built-in")} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function OwnPrices({
  prices,
  canChange,
}: {
  readonly prices: readonly Price[];
  readonly canChange: boolean;
}) {
  const change: Column<Price> = {
    key: "change",
    title: "Actions",
    cell: (price) => <PriceRemoval price={price} />,
  };
  return (
    <Table
      caption="Your own prices, per million tokens"
      narrow="stacks"
      rows={prices}
      rowKey={({ model, effective_from: from }) => `${model} ${from}`}
      columns={canChange ? [...COLUMNS, change] : COLUMNS}
      empty={<p className="muted">No prices of your own. The built-in prices apply.</p>}
    />
  );
}

function PriceRemoval({ price: { model, effective_from: from } }: { readonly price: Price }) {
  const cache = useQueryClient();
  return (
    <ConfirmButton
      label="Remove…"
      ariaLabel={`Remove the price for ${model} from ${day(from)}`}
      title={`Remove your price for ${model}?`}
      verb="Remove the price"
      run={() => unwrap(api.DELETE("/v1/prices", { params: { query: { model, effective_from: from } } }))}
      onDone={async () => {
        announce(`Removed your price for ${model} from ${day(from)}.`);
        await cache.invalidateQueries(pricesQuery());
      }}
    >
      <p>
        The built-in price applies again, if there is one. Otherwise calls of this model have no cost, and
        cost metrics leave them out.
      </p>
    </ConfirmButton>
  );
}

/** The list prices of this version of Assay. */
function BuiltInPrices({ prices }: { readonly prices: readonly Price[] }) {
  const { model = "" } = useSearch({ from: "/shell/settings" });
  const navigate = useNavigate();
  const [isOpen] = useState(model !== "");
  const found = prices.filter((price) => price.model.toLowerCase().includes(model.toLowerCase()));
  return (
    <Disclosure title={`Built-in prices: ${count(prices.length)} list prices`} isOpen={isOpen}>
      <p>
        List prices of text tokens at the standard tier, not checked against invoices. “–” means the same
        price as other input or output tokens.
      </p>
      <TextField
        label="Search by model"
        type="search"
        value={model}
        onChange={(text) =>
          navigate({
            to: "/settings",
            search: text === "" ? {} : { model: text },
            replace: true,
            resetScroll: false,
          })
        }
      />
      <Table
        caption={`Built-in prices, per million tokens: ${count(found.length)} of ${count(prices.length)}`}
        narrow="stacks"
        rows={found.slice(0, MAX_SHOWN)}
        rowKey={(price) => `${price.model} ${price.effective_from}`}
        columns={COLUMNS}
        empty={<p className="muted">No built-in price matches. You can set your own.</p>}
      />
    </Disclosure>
  );
}
