import { stateText } from "../approvals/index.ts";
import { channelLabel } from "../contract/messages/channel-label.ts";
import { relativeTime } from "../contract/relative-time.ts";
import type { Caller } from "../delivery/index.ts";
import { readHeldInRoom } from "../delivery/undelivered/index.ts";
import { clockTime } from "../origin/index.ts";
import { cancelAction } from "../subtasks/index.ts";
import { approvalsFor } from "./approve.ts";
import { type Command, type CommandCall, callerOf, workFor } from "./command.ts";
import { conversationsOf } from "./explain/pending-deliveries.ts";

/** Platforms limit the buttons of a message. */
const MAX_BUTTONS = 10;

/** Lists the running work of the caller and the held deliveries to them. */
export const status: Command = {
  name: "status",
  needs: "talk",
  privately: true,
  async run(call) {
    const { deps, message, texts } = call;
    const caller = await callerOf(call);
    const asked = deps.turns.of(message, [...caller.accounts], message.id);
    const work = await workFor(call, caller);
    const approvals = await approvalsFor(call, caller);
    const waiting = await waitingFor(call, caller);
    const turns = (await asked).filter(({ audience }) => caller.owns(audience));
    const ago = (at: string) => relativeTime(Date.parse(at), deps.clock.now(), call.viewer);
    const lines = [
      ...turns.map(({ summary, startedAt }) => `- ${texts.status.answering(summary, ago(startedAt))}`),
      ...work.map(({ id, name, status, note, createdAt }) => {
        const how = status === "running" ? (note ?? texts.status.working) : texts.status.waitingToStart;
        return `- ${texts.status.work(name, id, how, ago(createdAt))}`;
      }),
      ...approvals.map(
        (one) => `- ${texts.status.approval(one.tool, stateText(one, texts), ago(one.createdAt), one.id)}`,
      ),
      ...waiting,
    ];
    if (lines.length === 0) return { markdown: texts.status.none };
    const actions = work.slice(0, MAX_BUTTONS).map((subtask) => cancelAction(subtask, texts));
    return { markdown: [texts.status.heading, ...lines].join("\n"), ...(actions.length > 0 && { actions }) };
  },
};

/** The deliveries to the caller that quiet hours or a platform outage hold back. */
const waitingFor = async (call: CommandCall, caller: Caller): Promise<string[]> => {
  const { deps, viewer } = call;
  const texts = call.texts.status;
  const now = deps.clock.now();
  const lines: string[] = [];
  for (const held of conversationsOf(call, caller)) {
    const items = (await readHeldInRoom(deps.store, held)).flatMap((one) => one.items);
    if (items.length === 0) continue;
    const until = Math.max(...items.map(({ notBefore }) => notBefore));
    const why = until > now ? texts.until(clockTime(until, now, viewer)) : texts.untilReachable;
    lines.push(`- ${texts.held(items.length, channelLabel(held.channel), why)}`);
  }
  return lines;
};
