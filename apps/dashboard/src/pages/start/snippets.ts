import type { Experiment } from "../../api/types.ts";

/** The values in the code for an experiment. */
export interface SnippetFacts {
  /** The URL of this installation, without a trailing slash. */
  readonly baseUrl: string;
  /** The publishable key; null: unknown to this page. */
  readonly key: string | null;
  readonly experiment: string;
  readonly unit: NonNullable<Experiment["unit"]>;
  /** The fallback prompt: control's. */
  readonly defaultPrompt: string;
  /** The business metric, and whether its events carry a value. */
  readonly outcome: { readonly name: string; readonly hasValue: boolean };
}

export type Language = "typescript" | "python" | "java" | "curl";

export const LANGUAGES: readonly { readonly id: Language; readonly label: string }[] = [
  { id: "typescript", label: "TypeScript" },
  { id: "python", label: "Python" },
  { id: "java", label: "Java" },
  { id: "curl", label: "curl" },
];

/** Placeholders for unknown keys. */
export const KEY_PLACEHOLDERS = { publishable: "svc_pk_…", secret: "svc_sk_…" } as const;

/** The package that the code imports; the dashboard itself does not. */
const CLIENT = "@assay/client";
const VALUE = 19.9;

/** A JSON string literal, which TypeScript, Python and Java read alike. */
const quoted = (text: string) => JSON.stringify(text);

/** JSON inside single quotes of a shell, with quotes escaped. */
const inShell = (text: string) => quoted(text).replaceAll("'", "'\\''");

const keyOf = ({ key }: SnippetFacts) => key ?? KEY_PLACEHOLDERS.publishable;

/** Whether each conversation or run gets its own variant, so that all events about it must name it. */
const hasUnits = ({ unit }: Pick<SnippetFacts, "unit">) => unit !== "user";

/** What every event of an example says. */
const aboutInShell = (facts: SnippetFacts) =>
  `"experiment_id": ${inShell(facts.experiment)}, "user_id": "user-1"${hasUnits(facts) ? `, "unit_id": "${facts.unit}-1"` : ""}`;

const unitLine = ({ unit }: SnippetFacts, start: string, comment: string) =>
  unit === "user"
    ? ""
    : `${start} = "${unit}-1"${comment} your own id of the ${unit}: each gets a variant of its own\n`;

/** Sets what the commands below it use. */
const shellStart = (facts: SnippetFacts) =>
  `URL='${facts.baseUrl}' KEY='${keyOf(facts)}' NOW=$(date -u +%Y-%m-%dT%H:%M:%SZ) ID=$(date +%s)-$$`;

const curlOutcome = (
  facts: SnippetFacts,
) => `curl -s "$URL/v1/events" -H "X-API-Key: $KEY" -H 'Content-Type: application/json' -d '[
  {"type": "business_event", "event_id": "outcome-'"$ID"'", "timestamp": "'"$NOW"'",
   ${aboutInShell(facts)},
   "business_metric": ${inShell(facts.outcome.name)}${facts.outcome.hasValue ? `, "value": ${VALUE}` : ""}}]'
`;

/** The beginning of a call about the user, or about a unit of the user. */
const javaCall = (facts: SnippetFacts, method: string) =>
  hasUnits(facts)
    ? `assay.subject(user, unit).${method}(${quoted(facts.experiment)}`
    : `assay.${method}(${quoted(facts.experiment)}, user`;

/** Programs that make one model call for a user of the experiment. */
export const callSnippets: Readonly<Record<Language, (facts: SnippetFacts) => string>> = {
  typescript: (
    facts,
  ) => `// npm install openai; @assay/client is not on npm yet: npm run build in Assay's repository
// packs it, then npm install <repository>/clients/typescript/dist
import { Client } from ${quoted(CLIENT)};
import OpenAI from "openai";

const assay = new Client({
  apiKey: ${quoted(keyOf(facts))},
  baseUrl: ${quoted(facts.baseUrl)},
  experiments: [${quoted(facts.experiment)}],
});
await assay.ready();
const openai = assay.wrap(new OpenAI(), ${quoted(facts.experiment)}); // reports every call made through it

const user = "user-1"; // your own user id: the same user always gets the same variant
${unitLine(facts, "const unit", "; //")}${
  hasUnits(facts)
    ? `await assay.withUser(user, () => assay.${facts.unit === "run" ? "withRun" : "withConversation"}(unit, async () => {`
    : "await assay.withUser(user, async () => {"
}
  const { prompt } = assay.getPrompt(${quoted(facts.experiment)}, user, ${quoted(facts.defaultPrompt)});
  const completion = await openai.chat.completions.create({
    model: "gpt-4o-mini",
    messages: [
      { role: "system", content: prompt },
      { role: "user", content: "What is a bucket?" },
    ],
  });
  console.log(completion.choices[0]?.message.content);
${hasUnits(facts) ? "}))" : "})"};
await assay.close(); // when your process ends: sends remaining events
`,
  python: (
    facts,
  ) => `# pip install openai; assay-client is not on PyPI yet: npm run build in Assay's repository
# writes it, then pip install <repository>/clients/python/dist/assay_client-0.1.0-py3-none-any.whl
from assay import Assay
from openai import OpenAI

assay = Assay(
    api_key=${quoted(keyOf(facts))},
    base_url=${quoted(facts.baseUrl)},
    experiments=[${quoted(facts.experiment)}],
)
assay.wait_ready()
openai = assay.wrap(OpenAI(), ${quoted(facts.experiment)})  # reports every call made through it

user = "user-1"  # your own user id: the same user always gets the same variant
${unitLine(facts, "unit", "  #")}with assay.as_user(user)${hasUnits(facts) ? `, assay.with_${facts.unit}(unit)` : ""}:
    completion = openai.chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": assay.get_prompt(${quoted(facts.experiment)}, user, ${quoted(facts.defaultPrompt)}).prompt},
            {"role": "user", "content": "What is a bucket?"},
        ],
    )
    print(completion.choices[0].message.content)
assay.close()  # when your process ends: sends remaining events
`,
  java: (
    facts,
  ) => `// dev.assay:assay-client:0.1.0 is not on Maven Central yet: mvn install -DskipTests in clients/java of
// Assay's repository puts it into your local one
import dev.assay.AssayClient;
import java.time.Duration;

class FirstCall {
    public static void main(String[] args) throws Exception {
        try (AssayClient assay = AssayClient.builder()
                .apiKey(${quoted(keyOf(facts))})
                .baseUrl(${quoted(facts.baseUrl)})
                .experiments(${quoted(facts.experiment)})
                .build()) {
            assay.awaitReady(Duration.ofSeconds(5));

            String user = "user-1"; // your own user id
${unitLine(facts, "            String unit", "; //")}            String prompt = ${javaCall(facts, "getPrompt")}, ${quoted(facts.defaultPrompt)}).prompt();
            String answer = ${javaCall(facts, "interceptModelCall")}, () -> askYourModel(prompt, "What is a bucket?"));
            System.out.println(answer);
        } // close() sends remaining events
    }

    /** Replace this with your call. Its answer (JSON or an HttpResponse<String>) is read automatically. */
    static String askYourModel(String prompt, String question) {
        return "{\\"object\\": \\"chat.completion\\", \\"model\\": \\"gpt-4o-mini\\", "
                + "\\"choices\\": [{\\"message\\": {\\"content\\": \\"A part of a hash.\\"}, \\"finish_reason\\": \\"stop\\"}], "
                + "\\"usage\\": {\\"prompt_tokens\\": 31, \\"completion_tokens\\": 6}}";
    }
}
`,
  curl: (facts) => `${shellStart(facts)}

# Which variant does this user get? The client libraries answer this without a request.
curl -s "$URL/v1/assign" -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \\
  -d '{${aboutInShell(facts)}}'

# The user got the variant, and a model answered.
curl -s "$URL/v1/events" -H "X-API-Key: $KEY" -H 'Content-Type: application/json' -d '[
  {"type": "exposure", "event_id": "exposure-'"$ID"'", "timestamp": "'"$NOW"'",
   ${aboutInShell(facts)}},
  {"type": "model_call", "event_id": "call-'"$ID"'", "timestamp": "'"$NOW"'",
   ${aboutInShell(facts)},
   "model": "gpt-4o-mini", "latency_ms": 812, "input_tokens": 391, "output_tokens": 40}]'
`,
};

/** The lines that report a user's outcome, to add to `callSnippets`. */
export const outcomeSnippets: Readonly<Record<Language, (facts: SnippetFacts) => string>> = {
  typescript: ({ experiment, unit, outcome }) => `assay.track("business_event", {
  experiment_id: ${quoted(experiment)},
  user_id: user,${hasUnits({ unit }) ? "\n  unit_id: unit," : ""}
  business_metric: ${quoted(outcome.name)},${outcome.hasValue ? `\n  value: ${VALUE},` : ""}
});
`,
  python: ({ experiment, unit, outcome }) => `assay.track(
    "business_event",
    {
        "experiment_id": ${quoted(experiment)},
        "user_id": user,${hasUnits({ unit }) ? '\n        "unit_id": unit,' : ""}
        "business_metric": ${quoted(outcome.name)},${outcome.hasValue ? `\n        "value": ${VALUE},` : ""}
    },
)
`,
  java: ({ experiment, unit, outcome }) => `assay.track("business_event", Map.of( // java.util.Map
        "experiment_id", ${quoted(experiment)},
        "user_id", user,${hasUnits({ unit }) ? '\n        "unit_id", unit,' : ""}
        "business_metric", ${quoted(outcome.name)}${outcome.hasValue ? `,\n        "value", ${VALUE}` : ""}));
`,
  curl: (facts) => `${shellStart(facts)}

${curlOutcome(facts)}`,
};

/** The events of a user for whom another system's flag chose the variant. */
export function flagSnippet(facts: SnippetFacts, variant: string): string {
  const about = `${aboutInShell(facts)}`;
  return `${shellStart(facts)}

# The flag gave user-1 this variant, and the user met it. Later events of the user need no variant.
curl -s "$URL/v1/events" -H "X-API-Key: $KEY" -H 'Content-Type: application/json' -d '[
  {"type": "exposure", "event_id": "exposure-'"$ID"'", "timestamp": "'"$NOW"'",
   ${about}, "variant": ${inShell(variant)}},
  {"type": "model_call", "event_id": "call-'"$ID"'", "timestamp": "'"$NOW"'",
   ${about},
   "model": "gpt-4o-mini", "latency_ms": 812, "input_tokens": 391, "output_tokens": 40}]'

${curlOutcome(facts)}`;
}

/** Writes a prompt for a coding assistant to integrate Assay. It contains no secrets, because a publishable key may be public. */
export function assistantPrompt(facts: SnippetFacts): string {
  const { experiment, outcome, baseUrl } = facts;
  return `Integrate Assay, which runs controlled experiments on prompts, into this application.

Facts:
- Service: ${baseUrl} (its API is described at ${baseUrl}/docs)
- Publishable API key: ${facts.key ?? "ask me for it; it begins with svc_pk_"}. Read it from the environment variable ASSAY_API_KEY, and the service's address from ASSAY_BASE_URL.
- Experiment: ${quoted(experiment)}
- Outcome that counts: business events named ${quoted(outcome.name)}${outcome.hasValue ? ", with the amount as value" : ""}

What to do:
1. Find where this application calls a language model for the feature under experiment, and which stable user id is available there. Show me both before you change anything.
2. Create one Assay client per process at startup, and close it at shutdown.
3. Get the prompt from the client, with the current prompt as the default. Wrap the provider's client so that each call is reported for that user. Users outside the experiment must get the current behavior, and so must all users if the service does not answer.
4. Where the user's outcome happens, send the business event with the same user id.
5. Add no other dependency, and send no personal data as the user id.

In TypeScript (Node 18 or later):

${callSnippets.typescript(facts)}
${outcomeSnippets.typescript(facts)}
In Python (3.8 or later):

${callSnippets.python(facts)}
${outcomeSnippets.python(facts)}
In Java (11 or later):

${callSnippets.java(facts)}
${outcomeSnippets.java(facts)}
In any other language, over HTTP:

${callSnippets.curl(facts)}
${outcomeSnippets.curl(facts)}`;
}

/** A longer prompt would distract from the code. */
const LONGEST_PROMPT = 120;
const ANY_PROMPT = "Your current prompt.";
const ANY_OUTCOME = { name: "thumbs_up", hasValue: false };

/** Derives the facts of an experiment: control's prompt as the default, and its first business metric. */
export function snippetFacts(experiment: Experiment, key: string | null, baseUrl: string): SnippetFacts {
  const prompt = experiment.variants?.find((variant) => variant.key === experiment.control)?.prompt ?? "";
  return {
    baseUrl,
    key,
    experiment: experiment.name,
    unit: experiment.unit ?? "user",
    defaultPrompt: prompt === "" || prompt.length > LONGEST_PROMPT ? ANY_PROMPT : prompt,
    outcome: outcomeOf(experiment) ?? ANY_OUTCOME,
  };
}

function outcomeOf({ metrics }: Experiment): SnippetFacts["outcome"] | null {
  const found = metrics.find(({ source, category }) =>
    source === undefined ? category === "business" : source.event === "business_event",
  );
  if (found === undefined) return null;
  const { source } = found;
  const name = source !== undefined && "business_metric" in source ? source.business_metric : found.name;
  return { name, hasValue: found.kind !== "binary" };
}
