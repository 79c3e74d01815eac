import type { JsonObject, MetricDefinition } from "@assay/domain";
import { fieldDiff } from "../field-diff.ts";

type Method = Pick<MetricDefinition, "method" | "methodDefault">;

/** A metric whose test was not chosen by hand. */
const UNCHOSEN: Method = { method: null, methodDefault: "auto" };

export interface MethodOverride {
  readonly summary: string;
  readonly diff: JsonObject;
}

/** Lists the metrics whose test was chosen by hand: `method` or `method_default` changed, or a new metric sets one. */
export function methodOverrides(
  before: readonly MetricDefinition[],
  after: readonly MetricDefinition[],
): readonly MethodOverride[] {
  const known = new Map<string, Method>(before.map((metric) => [metric.name, metric]));
  return after.flatMap((metric) => {
    const was = known.get(metric.name) ?? UNCHOSEN;
    const isSame = was.method === metric.method && was.methodDefault === metric.methodDefault;
    return isSame ? [] : [toOverride(metric.name, was, metric)];
  });
}

function toOverride(name: string, was: Method, is: Method): MethodOverride {
  return {
    summary: `The test of metric "${name}" is now ${inWords(is)}; it was ${inWords(was)}.`,
    diff: { metric: name, ...fieldDiff(toWireMethod(was), toWireMethod(is), ["method", "method_default"]) },
  };
}

const toWireMethod = ({ method, methodDefault }: Method) => ({ method, method_default: methodDefault });

function inWords({ method, methodDefault }: Method): string {
  return method === null ? methodDefault : `${method} (overriding ${methodDefault})`;
}
