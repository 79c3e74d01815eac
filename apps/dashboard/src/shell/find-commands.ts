import { PLATFORM, SECTIONS } from "./Navigation.tsx";

/** What the palette does itself, without an address. */
export type CommandAction = "load-demo" | "save-tables" | "list-keys" | "sign-out";

/** An entry of the palette. */
export interface Command {
  /** Unique among the entries. */
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  /** What words are looked for in, where it is not the label alone. */
  readonly words?: string;
  readonly does: { readonly to: string } | { readonly act: CommandAction };
}

interface CommandSection {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** What the palette knows; lists are empty while they load. */
export interface Known {
  readonly isPlatformOwner: boolean;
  /** May invite members and create keys. */
  readonly isAdmin: boolean;
  /** No demo is loaded. */
  readonly mayLoadDemo: boolean;
  readonly experiments: readonly { readonly id: string; readonly name: string; readonly state: string }[];
  /** Shared metrics. */
  readonly metrics: readonly { readonly name: string; readonly title: string | null }[];
  readonly people: readonly { readonly id: string; readonly name: string; readonly email: string }[];
}

/** Limit of a section; more letters narrow the list. */
const SHOWN = 20;

const page = (to: string, label: string): Command => ({ id: to, label, does: { to } });

/** Returns the matching commands by section; every typed word must occur in the name. Empty sections are left out. */
export function findCommands(text: string, known: Known): readonly CommandSection[] {
  const typed = text.toLowerCase().split(/\s+/);
  const fits = ({ label, words = label }: Command) =>
    typed.every((word) => words.toLowerCase().includes(word));
  const find = (commands: readonly Command[]) => commands.filter(fits).slice(0, SHOWN);
  // What is many and seldom wanted shows once somebody types.
  const isAsked = text.trim() !== "";
  const sections: readonly CommandSection[] = [
    { title: "Pages", commands: find(pagesFor(known)) },
    { title: "Actions", commands: find(actionsFor(known)) },
    { title: "Experiments", commands: find(experimentsOf(known)) },
    { title: "Shared metrics", commands: isAsked ? find(metricsOf(known)) : [] },
    { title: "People", commands: isAsked ? find(peopleOf(known)) : [] },
  ];
  return sections.filter(({ commands }) => commands.length > 0);
}

function pagesFor({ isPlatformOwner }: Known): readonly Command[] {
  const pages = [...SECTIONS, ...(isPlatformOwner ? [PLATFORM] : [])];
  return [
    ...pages.map(({ to, label }) => page(to, label)),
    page("/alerts", "Alerts"),
    page("/feedback", "Feedback"),
  ];
}

function actionsFor({ isAdmin, mayLoadDemo }: Known): readonly Command[] {
  const act = (action: CommandAction, label: string): Command => ({
    id: action,
    label,
    does: { act: action },
  });
  return [
    page("/experiments/new", "New experiment"),
    page("/start", "First steps: key, code, first call"),
    page("/start/instrumented", "Already instrumented? OpenTelemetry, Langfuse"),
    ...(mayLoadDemo ? [act("load-demo", "Load the demo")] : []),
    ...(isAdmin
      ? [
          { id: "invite", label: "Invite a member", does: { to: "/settings" } },
          { id: "create-key", label: "Create a key", does: { to: "/keys" } },
        ]
      : []),
    act("save-tables", "Save the tables of this page as CSV"),
    act("list-keys", "Keyboard shortcuts"),
    act("sign-out", "Sign out"),
  ];
}

function experimentsOf({ experiments }: Known): readonly Command[] {
  return experiments.map(({ id, name, state }) => ({ ...page(`/experiments/${id}`, name), detail: state }));
}

function metricsOf({ metrics }: Known): readonly Command[] {
  return metrics.map(({ name, title }) => ({
    ...page(`/catalogue/${encodeURIComponent(name)}`, name),
    ...(title === null ? {} : { detail: title, words: `${name} ${title}` }),
  }));
}

/** Members are managed in the settings. */
function peopleOf({ people }: Known): readonly Command[] {
  return people.map(({ id, name, email }) => ({
    id: `person ${id}`,
    label: name || email,
    ...(name === "" || name === email ? {} : { detail: email }),
    words: `${name} ${email}`,
    does: { to: "/settings" },
  }));
}
