import {
  type EvaluationContext,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  type ResolutionDetails,
} from "@openfeature/server-sdk";
import { BaseProvider } from "./base-provider.ts";
import { refuseType, resolveObject, resolveString } from "./resolve.ts";

export type { AssayClient } from "./assay-client.ts";

/** Serves Assay's experiments to the OpenFeature SDK for servers. Evaluations make no request. */
export class AssayProvider extends BaseProvider implements Provider {
  readonly runsOn = "server";
  readonly events = new OpenFeatureEventEmitter();

  async resolveStringEvaluation(
    flagKey: string,
    defaultValue: string,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<string>> {
    return resolveString(this.client, { flagKey, defaultValue, context });
  }

  async resolveObjectEvaluation<Value extends JsonValue>(
    flagKey: string,
    defaultValue: Value,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<Value>> {
    return resolveObject(this.client, { flagKey, defaultValue, context });
  }

  async resolveBooleanEvaluation(flagKey: string): Promise<ResolutionDetails<boolean>> {
    return refuseType(this.client, flagKey);
  }

  async resolveNumberEvaluation(flagKey: string): Promise<ResolutionDetails<number>> {
    return refuseType(this.client, flagKey);
  }
}
