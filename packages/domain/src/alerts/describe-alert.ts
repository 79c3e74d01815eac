import { UNIT_WORDS } from "../experiment/unit.ts";
import type { AlertedExperiment, AlertedVerdict, AlertMessage } from "./alert.ts";

/** A message in words: a one-line title, and what to know or do. */
export interface AlertText {
  readonly title: string;
  readonly text: string;
}

/** Describes a message for chats and mail. */
export function describeAlert(message: AlertMessage): AlertText {
  const { type, data } = message;
  switch (type) {
    case "experiment.ready":
      return {
        title: `${data.experiment.name}: ${VERDICT_TITLES[data.state]}`,
        text: `${VERDICT_TEXTS[data.state](data.treatment)} Night of ${data.day}.`,
      };
    case "experiment.srm":
      return {
        title: `${data.experiment.name}: the traffic split is wrong`,
        text: `The split of the ${unitsOf(data)} differs from the allocation (p = ${data.pValue.toPrecision(2)}). Results are withheld until it is fixed. Night of ${data.day}.`,
      };
    case "experiment.health_critical":
      return {
        title: `${data.experiment.name}: critical fault in the data`,
        text: `${data.detail} (${data.code}, night of ${data.day})`,
      };
    case "experiment.no_traffic":
      return {
        title: `${data.experiment.name}: no traffic for 24 hours`,
        text: `It is running, but ${data.experiment.unit ? `no ${UNIT_WORDS[data.experiment.unit].one}` : "nobody"} was exposed in the last 24 hours. The last exposure was on ${data.lastExposureOn}.`,
      };
    case "experiment.held":
      return { title: `${data.experiment.name}: held`, text: data.reason };
    case "experiment.resumed":
      return { title: `${data.experiment.name}: resumed`, text: data.reason };
    case "experiment.stage":
      return {
        title: `${data.experiment.name}: stage ${data.stage} of ${data.stages}`,
        text: `It now reaches ${Number((data.share * 100).toFixed(2))}% of the ${unitsOf(data)}.`,
      };
    case "judge.down":
      return {
        title: "The judge gives no scores",
        text: `${data.model} has given no scores since ${new Date(data.since).toISOString().slice(0, 16)}Z. ${data.detail}`,
      };
    case "usage.80":
      return {
        title: "80% of the monthly event allowance is used",
        text: `${used(data)} in ${data.month}.`,
      };
    case "usage.100":
      return {
        title: "The monthly event allowance is used up",
        text: `${used(data)} in ${data.month}. Further events are refused or billed, depending on your plan.`,
      };
    case "key.unusual":
      return {
        title: "Unusual use of the publishable key",
        text: `It sent ${count(data.events)} events on ${data.day}; more than ${count(data.limit)} is unusual.`,
      };
    case "test":
      return {
        title: "Test message",
        text: `The alert channel ${data.channel} works.`,
      };
  }
}

const VERDICT_TITLES: Readonly<Record<AlertedVerdict, string>> = {
  "ready-to-decide": "ready to ship",
  "no-difference": "no difference found",
  mixed: "better, but worse elsewhere",
  losing: "losing",
  "guardrail-failing": "a guardrail is failing",
};

const VERDICT_TEXTS: Readonly<Record<AlertedVerdict, (treatment: string | null) => string>> = {
  "ready-to-decide": (treatment) => `${named(treatment)} can be shipped: the decision plan is met.`,
  "no-difference": () => "All planned looks are over and no treatment is better. Stop the experiment.",
  mixed: (treatment) => `${named(treatment)} is better on a primary metric and worse on another metric.`,
  losing: (treatment) =>
    `${named(treatment)} is worse on a primary metric. Consider stopping the experiment.`,
  "guardrail-failing": () => "A guardrail metric got worse. Check it first.",
};

const unitsOf = ({ experiment }: { readonly experiment: AlertedExperiment }): string =>
  UNIT_WORDS[experiment.unit ?? "user"].many;

const named = (treatment: string | null): string => treatment ?? "A treatment";

const used = ({ events, allowance }: { readonly events: number; readonly allowance: number }): string =>
  `${count(events)} of ${count(allowance)} events were used`;

const count = (value: number): string => value.toLocaleString("en-US");
