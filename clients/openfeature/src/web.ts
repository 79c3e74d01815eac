import {
  type EvaluationContext,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  type ResolutionDetails,
} from "@openfeature/web-sdk";
import { BaseProvider } from "./base-provider.ts";
import { refuseType, resolveObject, resolveString } from "./resolve.ts";

export type { AssayClient } from "./assay-client.ts";

/**
 * Serves Assay's experiments to the OpenFeature SDK for browsers. It keeps no state per context, because it assigns
 * locally: a changed context applies at once.
 */
export class AssayWebProvider extends BaseProvider implements Provider {
  readonly runsOn = "client";
  readonly events = new OpenFeatureEventEmitter();

  resolveStringEvaluation(
    flagKey: string,
    defaultValue: string,
    context: EvaluationContext,
  ): ResolutionDetails<string> {
    return resolveString(this.client, { flagKey, defaultValue, context });
  }

  resolveObjectEvaluation<Value extends JsonValue>(
    flagKey: string,
    defaultValue: Value,
    context: EvaluationContext,
  ): ResolutionDetails<Value> {
    return resolveObject(this.client, { flagKey, defaultValue, context });
  }

  resolveBooleanEvaluation(flagKey: string): ResolutionDetails<boolean> {
    return refuseType(this.client, flagKey);
  }

  resolveNumberEvaluation(flagKey: string): ResolutionDetails<number> {
    return refuseType(this.client, flagKey);
  }
}
