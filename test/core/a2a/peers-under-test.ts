import { type PeerCall, readCall } from "../../../core/a2a/record/peer-call.ts";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { AgentOptions } from "../../../core/start-core.ts";
import { readOwner } from "../../../core/subtasks/owner/owner-record.ts";
import { type Answer, calls, type Script, ScriptedModel } from "../../fakes/scripted-model.ts";
import type { TestOptions } from "../core-under-test.ts";
import { AGENT, type CoreUnderTest, TYPING_EVERY_MS } from "../core-under-test.ts";
import type { Asked } from "../subtasks/delegating.ts";
import { roles, startDelegating } from "../subtasks/delegating.ts";

export const PEER = "harbour";
export const ASYNC = { default: { a2aAsync: true } };

export interface Pair {
  readonly core: CoreUnderTest;
  /** Model of the other agent. */
  readonly peer: ScriptedModel;
}

export interface PairOptions extends TestOptions {
  readonly peerAgent?: Partial<AgentOptions>;
}

/** Two agents of one deployment that list each other as peers. */
export const startPair = async (
  primary: Script,
  peerScript: Script,
  { peerAgent, ...options }: PairOptions = {},
): Promise<Pair> => {
  const peer = new ScriptedModel(peerScript);
  const other = { name: PEER, tenant: "default", model: peer, peers: [AGENT], ...peerAgent };
  const core = await startDelegating(primary, {
    tenants: ASYNC,
    ...options,
    agent: { peers: [PEER], ...options.agent },
    others: [other, ...(options.others ?? [])],
  });
  return { core, peer };
};

/** Sends one message in its first step, and says something in the next. */
export const sends =
  (input: Record<string, unknown>, then: string | ((outputs: readonly string[]) => Answer) = "on it") =>
  ({ outputs }: Asked): Answer => {
    if (outputs.length === 0) return calls({ name: "send_message_to_agent", input: { agent: PEER, ...input } });
    return typeof then === "string" ? then : then(outputs);
  };

/** A person's message sends `input`; the callback replies "told: …" with the answer. */
export const asks = (input: Record<string, unknown>, then?: Parameters<typeof sends>[1]): Script =>
  roles({ primary: sends(input, then), continuation: ({ text }) => `told: ${answerIn(text)}` });

export const answerIn = (text: string): string =>
  /answered:\n([^\n]*)|failed: ([^\n]*)/.exec(text)?.slice(1).join("") ?? text;

/** The latest user message that a model got. */
export const lastPrompt = (model: ScriptedModel): string => {
  const last = model.requests.items.at(-1)?.messages.findLast(({ role }) => role === "user");
  return last?.role === "user" ? last.text : "";
};

/** Outputs of send_message_to_agent. */
export const toolOutputs = ({ model }: CoreUnderTest): string[] =>
  model.requests.items
    .flatMap(({ messages }) => messages)
    .flatMap((message) => (message.role === "tool" ? message.results : []))
    .filter(({ name }) => name === "send_message_to_agent")
    .map(({ output }) => output);

/** The one call that the session of "m-1" has made. */
export const theCall = async (core: CoreUnderTest): Promise<PeerCall> => {
  const { sessionId } = await core.replyTo("m-1");
  const agentRef = { tenant: "default", agent: AGENT };
  const { batches } = await readOwner(core.backbone.store, { ...agentRef, ownerId: sessionId ?? "" });
  const id = Object.values(batches).flatMap(({ calls: made = [] }) => made)[0]?.id ?? "";
  const call = await readCall(core.backbone.store, { ...agentRef, id });
  if (call === undefined) throw new Error("the session has no call");
  return call;
};

export const unsolicited = (replies: readonly AgentReply[]): AgentReply[] =>
  replies.filter(({ kind, correlationId }) => kind === "final" && correlationId === undefined);

export const untilUnsolicited = async (core: CoreUnderTest, count = 1): Promise<AgentReply[]> =>
  unsolicited(await core.replies.until((replies) => unsolicited(replies).length >= count));

/** Whether a timer is a pause between two polls of a remote task. */
export const isPause = (ms: number): boolean => [2, 4, 8, 16, 32, 64].includes(ms / 1_000);
const isShortOrPause = (ms: number): boolean => (ms > 0 && ms <= 8_000 && ms !== TYPING_EVERY_MS) || isPause(ms);

/** Awaits the result while matching timers fire at once. */
export const asTimePasses = async <T>(
  core: CoreUnderTest,
  result: Promise<T>,
  isPassed = isShortOrPause,
): Promise<T> => {
  let isDone = false;
  void result.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await Promise.race([result, core.clock.passNextOf(isPassed)]);
    // The result may need the network.
    await new Promise(setImmediate);
  }
  return result;
};

export const untilUnsolicitedAsTimePasses = (core: CoreUnderTest, count = 1): Promise<AgentReply[]> =>
  asTimePasses(core, untilUnsolicited(core, count));
