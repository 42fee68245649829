import type { MenuCommand } from "../../../core/contract/menu-command.ts";
import type { Webhook } from "../../contract/abilities.ts";

/** Serves `GET /channels/<channel>/commands`, the menu of slash commands. It is the same for every visitor, with all languages. */
export const commandMenuRoute = (commands: readonly MenuCommand[]): Webhook => {
  const body = JSON.stringify(
    commands.map(({ name, description, argument, translations }) => ({ name, description, argument, translations })),
  );
  const headers = {
    "access-control-allow-origin": "*",
    "cache-control": "public, max-age=300",
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
  };
  return { method: "GET", path: "commands", maxBodyBytes: 0, handle: async () => ({ status: 200, headers, body }) };
};
