import { z } from "zod";
import type { Tool } from "../contract/tool.ts";
import type { Agent, PeeringConfig } from "../turns/index.ts";
import { answerQuestion } from "./answer-question.ts";
import { consult } from "./consult.ts";
import { describePeers } from "./describe-peers.ts";
import { openCall } from "./open-call.ts";
import type { PeerParts } from "./peer-parts.ts";

const MAX_MESSAGE_CHARS = 20_000;
/** It goes on as a delegation long before. */
const LONGEST_CONSULT_MS = 600_000;

const MODES = ["notify", "task_delegate", "consult"] as const;
type Mode = (typeof MODES)[number];

const fields = {
  agent: z.string().catch("").describe("The name of the agent."),
  message: z
    .string()
    .trim()
    .min(1)
    .max(MAX_MESSAGE_CHARS)
    .describe("Everything it needs to know: it sees nothing of this conversation."),
  task: z.string().optional().describe("Only to answer a question of the agent: the task that it named."),
};

const CHOICE =
  "task_delegate: it does work and you get the result in a later turn (analyse, research, write, compare, find out). " +
  "notify: it should know something, and nothing comes back. consult: a quick fact that you need now; you wait for it. " +
  "In doubt: task_delegate.";

/** A model that forgets it has told something; one that makes a type up wants an answer (A1). */
const modeOf = (given: unknown): Mode => {
  if (given === undefined || given === null || given === "") return "notify";
  return MODES.find((mode) => mode === given) ?? "consult";
};

const Choosing = z
  .object({
    ...fields,
    msg_type: z
      .unknown()
      .transform(modeOf)
      .optional()
      .meta({ type: "string", enum: [...MODES], description: CHOICE }),
  })
  // The model must choose, but a call without a choice is run all the same.
  .meta({ required: ["agent", "message", "msg_type"] });
const Waiting = z.object(fields).meta({ required: ["agent", "message"] });

type Input = z.infer<typeof Waiting> & { readonly msg_type?: Mode | undefined };

export const SEND_MESSAGE = "send_message_to_agent";

/** One tool for all peers, in this deployment and elsewhere (A1). */
export const sendMessageTool = (
  parts: PeerParts,
  peering: PeeringConfig,
  place: Pick<Agent, "tenant" | "name">,
): Tool<Input> => {
  const { tenant, name: agent } = place;
  const isAsync = () => parts.settings.wasAsync(tenant);
  return {
    name: SEND_MESSAGE,
    get description() {
      const how = isAsync() ? `Choose msg_type by what you need back. ${CHOICE}` : "You wait for its answer.";
      return `Sends a message to another agent. ${how}\n\n${describePeers(parts, { tenant, agent })}`;
    },
    get input() {
      return isAsync() ? Choosing : Waiting;
    },
    varies: true,
    checksInput: true,
    repeatable: true,
    deadlineMs: LONGEST_CONSULT_MS + 30_000,
    run: async ({ agent: to, message, task, msg_type }, context) => {
      const peer = parts.directory.find({ tenant, agent }, to);
      // Switched off, everything is a question that is waited for (A2).
      const mayChoose = await parts.settings.isAsync(tenant);
      // Who was not shown the choice counts on an answer.
      const unchosen = parts.settings.hasJustChanged(tenant) ? "consult" : "notify";
      const mode = mayChoose ? (msg_type ?? unchosen) : "consult";
      if (task !== undefined && task !== "")
        return answerQuestion(parts, peering, context, { peer, task, message, mode });
      const call = await openCall(parts, peering, context, { peer, mode, message });
      if (call.mode === "notify") return `${peer.name} is told. Nothing comes back.`;
      if (call.mode === "task_delegate") return accepted(peer.name);
      return consult(parts, peering, context, call);
    },
  };
};

const accepted = (peer: string): string =>
  `${peer} works on it, and its result comes to you in a later turn. Now tell the person in a few words what is being ` +
  "done; do not guess at results.";
