import { isDeepStrictEqual } from "node:util";
import { Routes } from "discord.js";
import { z } from "zod";
import type { MenuCommand } from "../../../core/contract/menu-command.ts";
import type { RestCalls } from "../api/rest-calls.ts";

/** https://docs.discord.com/developers/interactions/application-commands */
const CHAT_INPUT = 1;
const STRING = 3;
const IN_SERVERS = 0;
const IN_PRIVATE = 1;
const FOR_SERVERS = 0;

const Registered = z.object({
  name: z.string(),
  description: z.string(),
  type: z.number(),
  contexts: z.array(z.number()).nullish(),
  integration_types: z.array(z.number()).nullish(),
  options: z
    .array(
      z.object({ name: z.string(), description: z.string(), type: z.number(), required: z.boolean().default(false) }),
    )
    .default([]),
});
type Registered = z.infer<typeof Registered>;

const toRegister = (commands: readonly MenuCommand[]): Registered[] =>
  commands
    .map(({ name, description, argument }) => ({
      name,
      description,
      type: CHAT_INPUT,
      contexts: [IN_SERVERS, IN_PRIVATE],
      integration_types: [FOR_SERVERS],
      options: argument ? [{ ...argument, type: STRING, required: false }] : [],
    }))
    .sort((a, b) => a.name.localeCompare(b.name));

/** Registers the commands if Discord has different ones; writes count against a daily limit. */
export const registerCommands = async (
  rest: RestCalls,
  applicationId: string,
  commands: readonly MenuCommand[],
): Promise<"changed" | "unchanged"> => {
  const wanted = toRegister(commands);
  const route = Routes.applicationCommands(applicationId);
  const there = z.array(Registered).safeParse(await rest.call("get", route));
  const known = there.data?.sort((a, b) => a.name.localeCompare(b.name));
  if (isDeepStrictEqual(known, wanted)) return "unchanged";
  await rest.call("put", route, { body: wanted });
  return "changed";
};
