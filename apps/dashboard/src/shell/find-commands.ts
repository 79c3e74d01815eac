import { PLATFORM, SECTIONS } from "./Navigation.tsx";

/** A destination in the palette. */
export interface Command {
  readonly to: string;
  readonly label: string;
  readonly detail?: string;
}

interface CommandSection {
  readonly title: string;
  readonly commands: readonly Command[];
}

interface Known {
  readonly isPlatformOwner: boolean;
  readonly experiments: readonly { readonly id: string; readonly name: string; readonly state: string }[];
}

/** Limit of shown experiments; more letters narrow the list. */
const EXPERIMENTS_SHOWN = 20;

const ACTIONS: readonly Command[] = [
  { to: "/experiments/new", label: "New experiment" },
  { to: "/start", label: "First steps: key, code, first call" },
];

const MORE_PAGES: readonly Command[] = [{ to: "/feedback", label: "Feedback" }];

/** Returns the matching commands by section; every typed word must occur in the name. Empty sections are left out. */
export function findCommands(
  text: string,
  { isPlatformOwner, experiments }: Known,
): readonly CommandSection[] {
  const words = text.toLowerCase().split(/\s+/);
  const fits = (name: string) => words.every((word) => name.toLowerCase().includes(word));
  const pages = [...SECTIONS, ...(isPlatformOwner ? [PLATFORM] : []), ...MORE_PAGES];
  const found = experiments.filter(({ name }) => fits(name)).slice(0, EXPERIMENTS_SHOWN);
  const sections: readonly CommandSection[] = [
    { title: "Pages", commands: pages.filter(({ label }) => fits(label)) },
    { title: "Actions", commands: ACTIONS.filter(({ label }) => fits(label)) },
    {
      title: "Experiments",
      commands: found.map(({ id, name, state }) => ({
        to: `/experiments/${id}`,
        label: name,
        detail: state,
      })),
    },
  ];
  return sections.filter(({ commands }) => commands.length > 0);
}
