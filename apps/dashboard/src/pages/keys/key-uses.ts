import type { Wire } from "../../api/types.ts";

export type KeyScope = Wire<"KeySummary">["scope"];

interface KeyUse {
  readonly scope: KeyScope;
  readonly use: string;
  readonly danger: string;
}

/** What the key of each scope is for, and who may see it. */
export const KEY_USES: readonly KeyUse[] = [
  {
    scope: "publishable",
    use: "For the client libraries, in browsers, apps and servers: reads the configuration, assigns users, sends events.",
    danger: "Users may see it. It cannot read results, prompts of calls or anything else that was sent.",
  },
  {
    scope: "secret",
    use: "For servers: what the publishable key does, and importing past events.",
    danger: "Keep it out of browsers, apps and repositories.",
  },
];
