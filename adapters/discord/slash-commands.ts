import { isDeepStrictEqual } from "node:util";
import { Routes } from "discord.js";
import { z } from "zod";
import type { RestCalls } from "./rest-calls.ts";

/** https://docs.discord.com/developers/interactions/application-commands */
const CHAT_INPUT = 1;
const STRING = 3;
const IN_SERVERS = 0;
const IN_PRIVATE = 1;
const FOR_SERVERS = 0;

interface SlashCommand {
  readonly name: string;
  readonly description: string;
  /** What may stand behind it. */
  readonly takes?: { readonly name: string; readonly description: string };
  /** In servers its answer is shown to the caller only (I3). */
  readonly privately?: true;
}

const commands: readonly SlashCommand[] = [
  { name: "help", description: "What I can do" },
  {
    name: "why",
    description: "Why a message came, and from which work",
    takes: { name: "message", description: "Its link or id; the last one, if left out" },
    privately: true,
  },
  { name: "status", description: "What is under way for you", privately: true },
  {
    name: "cancel",
    description: "End work that is under way",
    takes: { name: "id", description: "Which; see status" },
  },
  {
    name: "schedules",
    description: "What I do at set times",
    takes: { name: "details", description: "What to do about one of them" },
    privately: true,
  },
  {
    name: "inbox",
    description: "Messages that did not reach you",
    takes: { name: "details", description: "retry or dismiss, and which" },
    privately: true,
  },
  {
    name: "link",
    description: "Connect this account with yours on another channel",
    takes: { name: "code", description: "The code you were given there" },
  },
  {
    name: "unlink",
    description: "Undo a link",
    takes: { name: "account", description: "Which; see link" },
  },
  { name: "new", description: "Start afresh; work under way goes on" },
  {
    name: "quiet",
    description: "When not to write to you",
    takes: { name: "hours", description: "Such as 22-7, or off" },
    privately: true,
  },
];

const PRIVATE = new Set(commands.filter(({ privately }) => privately).map(({ name }) => name));

export const isPrivateCommand = (name: string): boolean => PRIVATE.has(name);

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

const wanted: readonly Registered[] = commands
  .map(({ name, description, takes }) => ({
    name,
    description,
    type: CHAT_INPUT,
    contexts: [IN_SERVERS, IN_PRIVATE],
    integration_types: [FOR_SERVERS],
    options: takes ? [{ ...takes, type: STRING, required: false }] : [],
  }))
  .sort((a, b) => a.name.localeCompare(b.name));

/** Tells Discord the commands, if it has others: writing them counts against a daily limit. */
export const registerCommands = async (rest: RestCalls, applicationId: string): Promise<"changed" | "unchanged"> => {
  const route = Routes.applicationCommands(applicationId);
  const there = z.array(Registered).safeParse(await rest.call("get", route));
  const known = there.data?.sort((a, b) => a.name.localeCompare(b.name));
  if (isDeepStrictEqual(known, wanted)) return "unchanged";
  await rest.call("put", route, { body: wanted });
  return "changed";
};
