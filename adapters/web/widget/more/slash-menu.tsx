import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { MenuCommand } from "../../../../core/contract/menu-command.ts";
import { fetchCommands } from "../../client/chat/fetch-commands.ts";
import { useWidget } from "../view/widget-context.ts";
import { useTexts } from "./more-texts.ts";

interface SlashMenuProps {
  /** The text of the composer; begins with "/". */
  readonly text: string;
  readonly write: (text: string) => void;
  readonly input: HTMLTextAreaElement | null;
}

/** The commands that match the text, and the argument of the command that is written. Esc closes it. */
export const SlashMenu = ({ text, write, input }: SlashMenuProps) => {
  const { url, locale } = useWidget();
  const texts = useTexts();
  const [commands, setCommands] = useState<readonly MenuCommand[]>([]);
  const [selected, setSelected] = useState(0);
  const [closedFor, setClosedFor] = useState<string>();
  useEffect(() => void fetchCommands(url("commands"), locale).then(setCommands), [url, locale]);
  const [, name = "", rest] = /^\/(\S*)(\s[\s\S]*)?$/.exec(text) ?? [];
  const isNamed = rest !== undefined;
  const found = commands.filter((command) => (isNamed ? command.name === name : command.name.startsWith(name)));
  const isShown = found.length > 0 && closedFor !== text && (!isNamed || rest.trim() === "");
  const at = Math.min(selected, found.length - 1);
  const choose = ({ name: chosen, argument }: MenuCommand) => {
    write(`/${chosen}${argument ? " " : ""}`);
    if (!argument) setClosedFor(`/${chosen}`);
    input?.focus();
  };
  // Before the browser paints: the next key belongs to the commands that the person sees.
  useLayoutEffect(() => {
    if (!isShown || input === null) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const command = found[at];
      if (event.isComposing) return;
      if (event.key === "Escape") {
        event.stopPropagation();
        setClosedFor(text);
      } else if (isNamed || command === undefined) return;
      else if (event.key === "ArrowDown") setSelected((at + 1) % found.length);
      else if (event.key === "ArrowUp") setSelected((at + found.length - 1) % found.length);
      else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey && command.name !== name))
        choose(command);
      else return;
      event.preventDefault();
    };
    input.addEventListener("keydown", onKeyDown, { capture: true });
    if (!isNamed) {
      input.setAttribute("aria-controls", "commands");
      input.setAttribute("aria-activedescendant", `command-${at}`);
    }
    return () => {
      input.removeEventListener("keydown", onKeyDown, { capture: true });
      input.removeAttribute("aria-controls");
      input.removeAttribute("aria-activedescendant");
    };
  });
  if (!isShown) return null;
  if (isNamed) {
    const [{ argument, description } = { description: "" } as MenuCommand] = found;
    return (
      <p class="argument" role="status" dir="auto">
        <code>
          /{name} {argument && `<${argument.name}>`}
        </code>{" "}
        {argument?.description ?? description}
      </p>
    );
  }
  return (
    <div class="commands" id="commands" role="listbox" aria-label={texts.commands}>
      {found.map((command, index) => (
        <div
          key={command.name}
          id={`command-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          ref={(node) => {
            if (index === at) node?.scrollIntoView({ block: "nearest" });
          }}
          onMouseDown={(event) => {
            event.preventDefault();
            choose(command);
          }}
        >
          <code>
            /{command.name}
            {command.argument && <i> &lt;{command.argument.name}&gt;</i>}
          </code>
          <span dir="auto">{command.description}</span>
        </div>
      ))}
    </div>
  );
};
