import type { Demo } from "./demo-definition.ts";
import { arrivals, countTokens, type DemoOutcome, type DemoUser, draw } from "./demo-traffic.ts";
import data from "./support-tone.json" with { type: "json" };
import config from "./support-tone-experiment.json" with { type: "json" };

type Variant = keyof (typeof data.questions)[number]["answers"];

/** An answer with the facts that it should contain. */
interface WrittenAnswer {
  /** Its place among all answers, from 0. */
  readonly number: number;
  readonly text: string;
  readonly facts: readonly string[];
}

const experiment = config as Demo["experiment"];
const USERS = 900;
const QUESTIONS_PER_TOPIC = 4;
/** Time between a user's questions, and from the last answer to the outcome. */
const PAUSE_MS = 90_000;

const written: readonly WrittenAnswer[] = data.questions
  .flatMap(({ answers, facts }) => Object.values(answers).map((text) => ({ text, facts })))
  .map((answer, number) => ({ ...answer, number }));
const byText: ReadonlyMap<string, WrittenAnswer> = new Map(written.map((answer) => [answer.text, answer]));

/** A support assistant under three prompts. Its texts were written for this project; no model answered. */
export const supportTone: Demo = {
  idName: "demo-support-tone",
  experiment,
  users: (firstDay) => arrivals("customer", USERS, firstDay),
  outcomes,
  judge(text) {
    const answer = byText.get(text);
    return answer === undefined ? null : { score: scoreOf(answer), reason: reasonOf(answer) };
  },
  label(text) {
    const answer = byText.get(text);
    return answer === undefined ? null : labelOf(answer);
  },
};

/** A user asks one to three questions in a row, all about one topic. Whether the matter is resolved follows at the end. */
function outcomes(user: DemoUser, variant: string | null): readonly DemoOutcome[] {
  if (!data.variants.includes(variant ?? ""))
    throw new Error(`${user.id} has variant "${variant}", which the demo's data does not know.`);
  const asked = questionsOf(user);
  const calls = asked.map((_, place) => callOf({ user, asked, place, variant: variant as Variant }));
  const chance = chanceOf(asked, variant as Variant);
  const value = draw(`resolved ${user.id} ${asked.join(" ")} ${variant}`) < chance ? 1 : 0;
  return [
    ...calls,
    {
      ...{ type: "business_event", key: "resolved", afterMs: asked.length * PAUSE_MS },
      fields: { business_metric: "resolved", value },
    },
  ];
}

/** Lists what a user asks: 65% one question, 25% two, 10% three. */
function questionsOf({ id }: DemoUser): readonly number[] {
  const first = Math.floor(draw(`question ${id}`) * data.questions.length);
  const share = draw(`more ${id}`);
  const count = share < 0.65 ? 1 : share < 0.9 ? 2 : 3;
  const topic = first - (first % QUESTIONS_PER_TOPIC);
  return Array.from({ length: count }, (_, step) => topic + ((first + step) % QUESTIONS_PER_TOPIC));
}

/** The chance that a matter is resolved: complete answers help, and users are assumed to follow a friendly one more often. */
function chanceOf(asked: readonly number[], variant: Variant): number {
  const scores = asked.map((question) => scoreOf(answerOf(question, variant)));
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return 0.15 + 0.5 * mean + (variant === "friendly" ? 0.08 : 0);
}

interface Turn {
  readonly user: DemoUser;
  readonly asked: readonly number[];
  /** Index of the answered question, from 0. */
  readonly place: number;
  readonly variant: Variant;
}

/** Makes the call that answers one of a user's questions. Its prompt contains the earlier questions. */
function callOf({ user: { id }, asked, place, variant }: Turn): DemoOutcome {
  const turns = asked.slice(0, place + 1).flatMap((question) => [
    { role: "user", content: data.questions[question]!.question },
    { role: "assistant", content: answerOf(question, variant).text },
  ]);
  const system = experiment.variants?.find(({ key }) => key === variant)?.prompt ?? "";
  const messages = [{ role: "system", content: system }, ...turns.slice(0, -1)];
  const response = turns.at(-1)!.content;
  const outputTokens = countTokens(response.length);
  const key = `call-${place + 1}`;
  return {
    ...{ type: "model_call", key, afterMs: place * PAUSE_MS },
    fields: {
      model: data.model,
      provider: "openai",
      input_tokens: countTokens(messages.reduce((sum, { content }) => sum + content.length, 0)),
      output_tokens: outputTokens,
      latency_ms: latencyOf(outputTokens, `${id} ${key}`),
      error: false,
      prompt: JSON.stringify(messages),
      response,
      ...(asked.length > 1 && { metadata: { conversation_id: `chat-${id}` } }),
    },
  };
}

/** Simulates a latency: a fixed part and a part per output token, times a factor from 0.75 to 1.25. */
function latencyOf(outputTokens: number, key: string): number {
  return Math.round((400 + 12 * outputTokens) * (0.75 + 0.5 * draw(`latency ${key}`)));
}

function answerOf(question: number, variant: Variant): WrittenAnswer {
  return byText.get(data.questions[question]!.answers[variant])!;
}

/** The share of the facts that an answer contains, word for word except for capital letters. */
function scoreOf(answer: WrittenAnswer): number {
  const { said, left } = factsOf(answer);
  return Math.round((said.length / (said.length + left.length)) * 100) / 100;
}

function reasonOf(answer: WrittenAnswer): string {
  const { said, left } = factsOf(answer);
  const quoted = (facts: readonly string[]) => facts.map((fact) => `"${fact}"`).join(", ");
  if (left.length === 0) return `Complete: it says ${quoted(said)}.`;
  return `It says ${quoted(said)}, and leaves out ${quoted(left)}.`;
}

function factsOf({ text, facts }: WrittenAnswer) {
  const isSaid = (fact: string) => text.toLowerCase().includes(fact.toLowerCase());
  return { said: facts.filter(isSaid), left: facts.filter((fact) => !isSaid(fact)) };
}

/** Simulates how complete a reader finds an answer: as the judge does, but every fifth answer a quarter less. */
function labelOf(answer: WrittenAnswer): number {
  const isStrict = answer.number % 5 === 0;
  return Math.round((scoreOf(answer) - (isStrict ? 0.25 : 0)) * 100) / 100;
}
