import { useState } from "react";
import { Button } from "../../../ui/Button.tsx";
import { TextField } from "../../../ui/Field.tsx";
import { type CompareSearch, ORDERS, orderOf } from "./compare-search.ts";
import type { CompareDesk } from "./use-compare-desk.ts";

interface CompareToolsProps {
  readonly search: CompareSearch;
  readonly onSearch: (change: CompareSearch) => void;
  readonly desk: CompareDesk;
}

/** Which questions to compare, and how. */
export function CompareTools({ search, onSearch, desk }: CompareToolsProps) {
  const [text, setText] = useState(search.text ?? "");
  const order = orderOf(search);
  return (
    <search className="compare-tools" aria-label="Choose questions">
      <fieldset className="compare-orders">
        <legend className="visually-hidden">Order</legend>
        {ORDERS.map(({ order: one, label }) => (
          <button
            key={one}
            type="button"
            className="compare-order"
            aria-pressed={one === order && search.calls === undefined}
            onClick={() => onSearch({ order: one === "difference" ? undefined : one, calls: undefined })}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <form
        className="compare-text"
        onSubmit={(event) => {
          event.preventDefault();
          onSearch({ text: text.trim() || undefined, calls: undefined });
        }}
      >
        <TextField
          label={<span className="visually-hidden">Text</span>}
          placeholder="Text in question or answer"
          value={text}
          onChange={setText}
        />
      </form>
      <Button onPress={desk.toggleDiff} aria-pressed={desk.isDiff} isDisabled={desk.isBlind}>
        Differences
      </Button>
      <Button onPress={desk.toggleBlind} aria-pressed={desk.isBlind}>
        {desk.isBlind ? "Stop picking" : "Pick blind"}
      </Button>
    </search>
  );
}
