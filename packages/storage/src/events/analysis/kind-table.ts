import { EVENT_TYPES, type EventType } from "@assay/domain";
import type { NamesColumn } from "../engine/native.ts";
import type { RunPart } from "../units/agent-runs.ts";
import type { EventKind } from "./event-kind.ts";
import type { SourceColumn } from "./metric-columns.ts";

/** The properties by which an experiment's facts distinguish events. The last two are not needed for outcomes. */
export const KIND_COLUMNS = [
  ...["variant", "source", "business_metric", "ineligible_reason", "model", "requested_model"],
  ...["assigned_variant", "client"],
] as const;

const ASKED_OF_OUTCOMES = KIND_COLUMNS.length - 2;

/** A kind of events, and the sources for which they may have values. */
export interface RowKind {
  readonly kind: EventKind;
  readonly isOfSource: readonly boolean[];
  /** The events' role in a run; null if they have none, or if metrics of runs do not accept this sender. */
  readonly runPart: RunPart | null;
}

const RUN_PARTS: Partial<Record<EventType, RunPart>> = {
  model_call: "turn",
  tool_call: "tool",
  run_end: "end",
};

/** Numbers the kinds of events. Consecutive rows are mostly of the same kind. */
export class KindTable {
  readonly kinds: RowKind[] = [];
  readonly #sources: readonly SourceColumn[];
  readonly #columns: readonly NamesColumn[];
  readonly #codes = new Map<string, number>();
  readonly #last: number[] = [];
  #lastCode = -1;

  constructor(sources: readonly SourceColumn[], columns: readonly NamesColumn[]) {
    this.#sources = sources;
    this.#columns = columns;
  }

  codeOf(type: number, row: number): number {
    const last = this.#last;
    // The last columns do not matter for outcomes, so they do not distinguish kinds.
    const asked = EVENT_TYPES[type - 1] === "exposure" ? this.#columns.length : ASKED_OF_OUTCOMES;
    let isLast = last[0] === type;
    for (let c = 0; isLast && c < asked; c++) isLast = last[c + 1] === this.#columns[c]!.codes[row];
    if (isLast) return this.#lastCode;
    last.length = asked + 1;
    last[0] = type;
    for (let c = 0; c < asked; c++) last[c + 1] = this.#columns[c]!.codes[row]!;
    const key = last.join(" ");
    this.#lastCode = this.#codes.get(key) ?? this.#add(key, row);
    return this.#lastCode;
  }

  #add(key: string, row: number): number {
    const texts = this.#columns.map(({ names, codes }) => names[codes[row]!]!);
    const [variant, source, businessMetric, ineligibleReason, model, requestedModel] = texts as [
      ...[string, string, string, string, string, string],
    ];
    const type = EVENT_TYPES[this.#last[0]! - 1]!;
    const [assignedVariant, client] = type === "exposure" ? [texts[6]!, texts[7]!] : ["", ""];
    const kind: EventKind = {
      ...{ type, variant, source, businessMetric, ineligibleReason, model, requestedModel },
      ...{ assignedVariant, client },
    };
    const isOfSources = this.#sources.map((column) => isOfSource(kind, column));
    this.kinds.push({ kind, isOfSource: isOfSources, runPart: this.#runPartOf(kind) });
    this.#codes.set(key, this.kinds.length - 1);
    return this.kinds.length - 1;
  }

  /** Checks one source of runs only, because all metrics of runs accept the same senders. */
  #runPartOf(kind: EventKind): RunPart | null {
    const ofRuns = this.#sources.find(({ source }) => source.event === "run");
    return ofRuns === undefined || isAccepted(kind, ofRuns) ? (RUN_PARTS[kind.type] ?? null) : null;
  }
}

function isOfSource(kind: EventKind, column: SourceColumn): boolean {
  const { source } = column;
  const isOfType =
    source.event === "business_event"
      ? kind.type === "business_event" && kind.businessMetric === source.businessMetric
      : kind.type === source.event;
  return isOfType && isAccepted(kind, column);
}

function isAccepted({ source }: EventKind, { acceptFrom }: Pick<SourceColumn, "acceptFrom">): boolean {
  return acceptFrom === null || acceptFrom.some((accepted) => accepted === source);
}
