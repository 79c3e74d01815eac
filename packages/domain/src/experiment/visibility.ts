import type { KeyScope } from "../ports/keys.ts";
import { invalidBody } from "../problem.ts";
import type { ExperimentConfig, ExperimentStatus } from "./config.ts";

type Shown = Pick<ExperimentConfig, "visibility" | "status" | "variants">;

/** Returns whether clients with a key of the scope receive variants without prompts and variables. */
export function hidesContent({ visibility }: Pick<Shown, "visibility">, scope: KeyScope): boolean {
  return visibility === "server" && scope === "publishable";
}

/** Returns whether clients get variants of an experiment with this status. */
export function handsOut(status: ExperimentStatus): boolean {
  return status === "running" || status === "shipped";
}

/**
 * Throws `invalid-body` for an experiment that assigns variants whose prompts and variables no client could read, because it hides
 * them from the publishable key and the org has no secret key.
 */
export function rejectUnreadable(config: Shown, scopes: readonly KeyScope[]): void {
  if (!handsOut(config.status) || !hasContent(config)) return;
  if (!hidesContent(config, "publishable") || scopes.includes("secret")) return;
  const detail =
    "Only the secret key could read these prompts and variables, and there is none yet. Create one with POST /v1/keys and give it to your servers first.";
  throw invalidBody([{ pointer: "/visibility", detail }]);
}

const hasContent = ({ variants }: Shown) =>
  variants.some(({ prompt, variables }) => prompt !== null || variables !== null);
