import { useState } from "react";
import {
  Dialog as AriaDialog,
  Autocomplete,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
  Text,
} from "react-aria-components";
import type { WhoAmI } from "../api/types.ts";
import { type Command, findCommands } from "./find-commands.ts";
import { useKnown, useRunCommand } from "./use-commands.ts";
import "../ui/dialog.css";
import "./command-palette.css";

interface CommandPaletteProps {
  readonly me: WhoAmI;
  readonly onListKeys: () => void;
  readonly onClose: () => void;
}

/** Opens a page, an experiment, a shared metric or a person by name, or runs a command. */
export function CommandPalette({ me, onListKeys, onClose }: CommandPaletteProps) {
  const [text, setText] = useState("");
  const { known, isLoading } = useKnown(me);
  const run = useRunCommand(onListKeys);
  const sections = findCommands(text, known);
  const choose = (id: string) => {
    const chosen = sections.flatMap(({ commands }) => commands).find((command) => command.id === id);
    onClose();
    if (chosen !== undefined) run(chosen);
  };
  return (
    <ModalOverlay
      className="overlay palette-overlay"
      isOpen
      isDismissable
      onOpenChange={(open) => open || onClose()}
    >
      <Modal className="modal palette">
        <AriaDialog className="palette-dialog" aria-label="Search or go to">
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField
              className="palette-field"
              aria-label="Pages, actions, experiments, metrics and people"
              autoFocus
            >
              <Input className="palette-input" placeholder="Pages, actions, experiments, people…" />
            </SearchField>
            <div className="palette-scroll" tabIndex={0}>
              <Menu
                className="palette-list"
                aria-label="Where to go"
                onAction={(key) => choose(String(key))}
                renderEmptyState={() => (
                  <p className="palette-empty">{isLoading ? "Searching…" : "No matches."}</p>
                )}
              >
                {sections.map(({ title, commands }) => (
                  <MenuSection key={title} id={title} aria-label={title}>
                    <Header className="palette-title">{title}</Header>
                    {commands.map((command) => (
                      <PaletteItem key={command.id} command={command} />
                    ))}
                  </MenuSection>
                ))}
              </Menu>
            </div>
          </Autocomplete>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

function PaletteItem({ command: { id, label, detail } }: { readonly command: Command }) {
  return (
    <MenuItem id={id} className="palette-item" textValue={label}>
      <Text slot="label" className="palette-label">
        {label}
        {detail === undefined ? null : <span className="palette-detail"> {detail}</span>}
      </Text>
    </MenuItem>
  );
}
