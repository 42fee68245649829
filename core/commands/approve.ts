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
  argument: "id",
  usage: "approve [deny] [id]",
  privately: true,
  run: (call) => (call.args === "" ? list(call) : decide(call)),
};

const decide = async (call: CommandCall): Promise<CommandAnswer> => {
  const words = call.args.toLowerCase().split(/\s+/);
  const [verb = "", id = ""] = words.length === 1 ? ["approve", ...words] : words;
  const decision = VERBS[verb as keyof typeof VERBS];
  if (decision === undefined || !ID.test(id) || words.length > 2) {
    return { markdown: call.texts.approvals.badId };
  }
  return { markdown: await decideApproval(call.deps, call, id, decision) };
};

const list = async (call: CommandCall): Promise<CommandAnswer> => {
  const { deps, texts, viewer } = call;
  const waiting = (await approvalsFor(call, await callerOf(call))).filter(({ state }) => state === "pending");
  if (waiting.length === 0) return { markdown: texts.approvals.none };
  const [only] = waiting.length === 1 ? waiting : [];
  // One request is shown in full, so that its buttons are below its arguments.
  if (only !== undefined) return { markdown: `${only.request}\n\`${only.id}\``, actions: requestActions(only, texts) };
  const ago = (at: string) => relativeTime(Date.parse(at), deps.clock.now(), viewer);
  const lines = waiting.map(
    (one) => `- ${texts.approvals.entry(one.tool, stateText(one, texts), ago(one.createdAt), one.id)}`,
  );
  return { markdown: [texts.approvals.heading, ...lines, texts.approvals.howToDecide].join("\n") };
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
