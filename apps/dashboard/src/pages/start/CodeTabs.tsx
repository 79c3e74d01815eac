import { useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { CodeBlock } from "../../ui/Copy.tsx";
import { LANGUAGES, type Language, type SnippetFacts } from "./snippets.ts";
import "./start.css";

interface CodeTabsProps {
  /** What the code does; names the tabs and the block. */
  readonly label: string;
  readonly snippets: Readonly<Record<Language, (facts: SnippetFacts) => string>>;
  readonly facts: SnippetFacts;
}

const STORED = "assay.language";

/** The same code in every language; the choice is remembered. */
export function CodeTabs({ label, snippets, facts }: CodeTabsProps) {
  const [language, setLanguage] = useState(readLanguage);
  return (
    <Tabs
      className="code-tabs"
      selectedKey={language}
      onSelectionChange={(key) => {
        const chosen = toLanguage(String(key));
        localStorage.setItem(STORED, chosen);
        setLanguage(chosen);
      }}
    >
      <TabList className="code-tab-list" aria-label={label}>
        {LANGUAGES.map(({ id, label: name }) => (
          <Tab key={id} id={id} className="code-tab">
            {name}
          </Tab>
        ))}
      </TabList>
      {LANGUAGES.map(({ id, label: name }) => (
        <TabPanel key={id} id={id} className="code-tab-panel">
          <CodeBlock text={snippets[id](facts)} label={`${label}: ${name}`} />
        </TabPanel>
      ))}
    </Tabs>
  );
}

function readLanguage(): Language {
  return toLanguage(localStorage.getItem(STORED));
}

function toLanguage(text: string | null): Language {
  return LANGUAGES.find(({ id }) => id === text)?.id ?? "typescript";
}
