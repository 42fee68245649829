import {
  type Approval,
  decideApproval,
  isShownTo,
  openApprovalsIn,
  requestActions,
  stateText,
} from "../approvals/index.ts";
import { relativeTime } from "../contract/relative-time.ts";
import type { Caller } from "../delivery/index.ts";
import { type Command, type CommandAnswer, type CommandCall, callerOf } from "./command.ts";

const ID = /^approval-[0-9a-f]{12}$/;
/** The verb before the id; without one the call is approved. */
const VERBS = { approve: "approve", yes: "approve", deny: "deny", no: "deny", hour: "hour" } as const;

/** Lists the calls that wait for a person, or decides one (T4). Buttons send the same command. */
export const approve: Command = {
  name: "approve",
  needs: "talk",
  menu: {
    description: "Approve or deny calls that wait for you",
    argument: { name: "id", description: "The id, or deny and the id; empty: the list" },
  },
  usage: "approve [deny] [id]",
  summary: "the calls that wait for an approval; `/approve <id>` runs one, `/approve deny <id>` does not",
  privately: true,
  run: (call) => (call.args === "" ? list(call) : decide(call)),
};

const decide = async (call: CommandCall): Promise<CommandAnswer> => {
  const words = call.args.toLowerCase().split(/\s+/);
  const [verb = "", id = ""] = words.length === 1 ? ["approve", ...words] : words;
  const decision = VERBS[verb as keyof typeof VERBS];
  if (decision === undefined || !ID.test(id) || words.length > 2) {
    return { markdown: "An id looks like `approval-1a2b3c4d5e6f`. `/approve` lists the calls that wait." };
  }
  return { markdown: await decideApproval(call.deps, call, id, decision) };
};

const list = async (call: CommandCall): Promise<CommandAnswer> => {
  const { deps, message } = call;
  const waiting = (await approvalsFor(call, await callerOf(call))).filter(({ state }) => state === "pending");
  if (waiting.length === 0) return { markdown: "No call waits for an approval here." };
  const [only] = waiting.length === 1 ? waiting : [];
  // One request is shown in full, so that its buttons are below its arguments.
  if (only !== undefined) return { markdown: `${only.request}\n\`${only.id}\``, actions: requestActions(only) };
  const ago = (at: string) => relativeTime(Date.parse(at), deps.clock.now(), message.account);
  const lines = waiting.map((one) => `- \`${one.tool}\` ${stateText(one)}, asked ${ago(one.createdAt)}: \`${one.id}\``);
  return {
    markdown: [
      "These calls wait for an approval. Their arguments are in the messages that asked:",
      ...lines,
      "Decide with `/approve` or `/approve deny` and the id.",
    ].join("\n"),
  };
};

/** The requests that the caller may see from here: of this room, and in private those of their other private conversations. */
export const approvalsFor = async (
  { deps, message }: CommandCall,
  { person }: Pick<Caller, "person">,
): Promise<Approval[]> => {
  const { conversation } = message;
  const surfaces = person.surfaces.filter(({ agent }) => agent === message.agent).map((one) => one.conversation);
  const places = conversation.kind === "private" ? [conversation, ...surfaces] : [conversation];
  const open = await openApprovalsIn(deps.store, message, places);
  const isVisible = await Promise.all(open.map((one) => isShownTo(deps, one, message)));
  return open.filter((_, index) => isVisible[index]);
};
