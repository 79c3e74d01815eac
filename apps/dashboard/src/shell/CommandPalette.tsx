import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
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
import { queries } from "../api/queries.ts";
import type { WhoAmI } from "../api/types.ts";
import { STATES } from "../format/states.ts";
import { type Command, findCommands } from "./find-commands.ts";
import "../ui/dialog.css";
import "./command-palette.css";

/** Opens a page, an experiment or an action by its name. */
export function CommandPalette({ me, onClose }: { readonly me: WhoAmI; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const overview = useQuery(queries.overview());
  const experiments = overview.data?.items ?? [];
  const sections = findCommands(text, {
    isPlatformOwner: me.platform_owner,
    experiments: experiments.map(({ id, name, state }) => ({ id, name, state: STATES[state].word })),
  });
  const go = (to: string) => {
    onClose();
    void navigate({ to });
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
            <SearchField className="palette-field" aria-label="Pages, experiments and actions" autoFocus>
              <Input className="palette-input" placeholder="Pages, experiments, actions…" />
            </SearchField>
            <div className="palette-scroll" tabIndex={0}>
              <Menu
                className="palette-list"
                aria-label="Where to go"
                onAction={(key) => go(String(key))}
                renderEmptyState={() => <p className="palette-empty">No matches.</p>}
              >
                {sections.map(({ title, commands }) => (
                  <MenuSection key={title} id={title} aria-label={title}>
                    <Header className="palette-title">{title}</Header>
                    {commands.map((command) => (
                      <PaletteItem key={command.to} command={command} />
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

function PaletteItem({ command: { to, label, detail } }: { readonly command: Command }) {
  return (
    <MenuItem id={to} className="palette-item" textValue={label}>
      <Text slot="label" className="palette-label">
        {label}
        {detail === undefined ? null : <span className="palette-detail"> {detail}</span>}
      </Text>
    </MenuItem>
  );
}
