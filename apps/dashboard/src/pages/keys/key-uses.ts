import type { Wire } from "../../api/types.ts";

export type KeyScope = Wire<"KeySummary">["scope"];

interface KeyUse {
  readonly scope: KeyScope;
  readonly use: string;
  readonly danger: string;
}

/** The purpose of each scope's key, and who may see it. */
export const KEY_USES: readonly KeyUse[] = [
  {
    scope: "publishable",
    use: "For the client libraries in browsers, apps and servers. It reads the configuration, assigns users and sends events.",
    danger: "Users may see it. It cannot read results, call prompts or any other data.",
  },
  {
    scope: "secret",
    use: "For servers. It does everything the publishable key does and imports past events.",
    danger: "Keep it out of browsers, apps and repositories.",
  },
];
