import { type Load, runLoad, type Target } from "./load.ts";
import { formatFigure, formatSpread, type Spread, spreadOf } from "./spread.ts";

/** The service compared with one reference, per round. */
export interface HttpRatio {
  /** Answers per second: above 1 the service is faster. */
  readonly throughput: Spread;
  /** CPU time per request: above 1 the service needs more. */
  readonly cpu: Spread;
  readonly reference: Load;
}

interface Match {
  readonly service: Target;
  readonly references: readonly Target[];
  readonly rounds: number;
  /** Per round and contestant. */
  readonly requests: number;
}

/**
 * Loads the service and the references in turn, so that other load on the machine affects all of them
 * equally.
 */
export async function compareHttp({
  service,
  references,
  rounds,
  requests,
}: Match): Promise<readonly HttpRatio[]> {
  const targets = [service, ...references];
  for (const target of targets) await runLoad(target, requests);
  const loads: Load[][] = [];
  for (let round = 0; round < rounds; round++) {
    const row: Load[] = [];
    for (const target of targets) row.push(await runLoad(target, requests));
    loads.push(row);
  }
  return references.map((_, index) => toRatio(loads.map((row) => [row[0]!, row[index + 1]!])));
}

function toRatio(pairs: readonly (readonly [service: Load, reference: Load])[]): HttpRatio {
  return {
    throughput: spreadOf(pairs.map(([service, reference]) => service.perSecond / reference.perSecond)),
    cpu: spreadOf(pairs.map(([service, reference]) => service.cpuUsPerRequest / reference.cpuUsPerRequest)),
    reference: {
      perSecond: spreadOf(pairs.map(([, { perSecond }]) => perSecond)).median,
      cpuUsPerRequest: spreadOf(pairs.map(([, { cpuUsPerRequest }]) => cpuUsPerRequest)).median,
    },
  };
}

/** Head of the tables of `httpRow`. */
export const HTTP_HEAD = [
  "request",
  "reference",
  "throughput, service ÷ reference",
  "CPU per request, service ÷ reference",
  "aim (CPU)",
  "reference itself",
];

/** What `HTTP_HEAD` means, for the line above the table. */
export const HTTP_EXPLANATION =
  "Median (min–max) of the rounds. Throughput: higher is better. The load generator shares the cores; if it limits both " +
  "sides, it draws this ratio toward 1. CPU per request: processor time of the server's process, all threads; lower is " +
  "better. Trust this figure.";

/** Formats one comparison as a row. `aim` is the largest acceptable CPU ratio; null for none. */
export function httpRow(
  {
    name,
    reference,
    aim,
  }: { readonly name: string; readonly reference: string; readonly aim: number | null },
  ratio: HttpRatio,
): readonly string[] {
  const verdict = aim === null ? "—" : `≤ ${aim}: ${ratio.cpu.median <= aim ? "met" : "**missed**"}`;
  const { perSecond, cpuUsPerRequest } = ratio.reference;
  const itself = `${formatFigure(perSecond)}/s, ${formatFigure(cpuUsPerRequest)} µs`;
  return [name, reference, formatSpread(ratio.throughput), formatSpread(ratio.cpu), verdict, itself];
}
