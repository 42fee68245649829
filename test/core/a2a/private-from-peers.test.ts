import { afterEach, describe, expect, it } from "vitest";
import { readExtension } from "../../../core/a2a/record/hops.ts";
import { TaskState } from "../../fakes/a2a/sdk-agent.ts";
import { RecordingTracer } from "../../fakes/otlp/recording-tracer.ts";
import { calls, type Script } from "../../fakes/scripted-model.ts";
import type { CoreUnderTest } from "../core-under-test.ts";
import { userMessage } from "../core-under-test.ts";
import { delegates, roles } from "../subtasks/delegating.ts";
import { asks, startPair, untilUnsolicitedAsTimePasses } from "./peers-under-test.ts";
import { type RemotePair, startRemote, stopRemote, taskIn, to } from "./remote/remote-under-test.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PROMPT = "my salary is forty thousand, is it enough for a boat?";
const message = userMessage("event-of-ada", PROMPT, {
  traceId: TRACE,
  account: { id: "U-ADA", name: "Ada Lovelace", locale: "nb-NO", timeZone: "Europe/Oslo" },
  conversation: { channel: "slack", workspace: "T-ACME", room: "D-ADA", kind: "private" },
});
/** Words of the person, the prompt and the conversation; the ids that Mooring derives are added where they are known. */
const PRIVATE = [
  ...["salary", "forty", "boat", "Ada", "Lovelace", "U-ADA", "nb-NO", "Oslo", "T-ACME", "D-ADA", "slack"],
  ...["event-of-ada", TRACE, "traceparent", "tracestate", "promptSummary", "2026-03-10"],
];

let pair: RemotePair | undefined;
let core: CoreUnderTest | undefined;
afterEach(async () => {
  if (pair !== undefined) await stopRemote(pair);
  else await core?.dispose();
  pair = undefined;
  core = undefined;
});

/** Consults the remote agent and answers its question. */
const asksAndAnswers: Script = roles({
  primary: ({ outputs }) => {
    const task = taskIn(outputs.at(-1) ?? "");
    if (outputs.length > 0 && task === undefined) return "done";
    return calls({ name: "send_message_to_agent", input: { ...to("any ships?", "consult"), ...(task && { task }) } });
  },
});

/** All that a remote agent receives: headers and bodies of every request, also of polls and of the webhook. */
const receivedBy = async (trusted: boolean) => {
  const received: string[] = [];
  pair = await startRemote(
    asksAndAnswers,
    (work) =>
      work.round === 1 ? work.status(TaskState.TASK_STATE_INPUT_REQUIRED, "which harbour?") : work.answer("three"),
    {
      peer: { trusted },
      tracer: new RecordingTracer(),
      remoteAgent: {
        capabilities: { streaming: true, pushNotifications: true },
        intercept: ({ url, headers }, _response, body) => {
          received.push(JSON.stringify({ url, headers, body }));
          return false;
        },
      },
    },
  );
  await pair.core.receive(message);
  const reply = await pair.core.replyTo(message.id);
  const extensions = pair.remote.received.map(({ metadata }) => readExtension(metadata));
  return { all: received.join("\n"), ids: [reply.sessionId ?? "", `t-${TRACE}`], extensions };
};

describe("given a remote agent that gets a message, is polled, and gets the answer to its question", () => {
  it("when it is not declared trusted, then it receives nothing of the person or the prompt (R7)", async () => {
    const { all, ids, extensions } = await receivedBy(false);
    expect(all).toContain("any ships?");
    expect([...PRIVATE, ...ids].filter((word) => all.includes(word))).toEqual([]);
    expect(extensions).toHaveLength(2);
    for (const extension of extensions) {
      expect(Object.keys(extension ?? {}).sort()).toEqual(["hops", "msgType", "rootCorrelationId", "to"]);
      expect(extension?.rootCorrelationId).toMatch(/^[\w-]{43}$/);
    }
    expect(extensions[0]?.rootCorrelationId).toBe(extensions[1]?.rootCorrelationId);
  });

  it("when it is declared trusted, then it receives origin, root and trace, but no ids of the person (R7)", async () => {
    const { all, extensions } = await receivedBy(true);
    expect(extensions[0]).toMatchObject({ origin: { channel: "slack", promptSummary: PROMPT } });
    expect(extensions[0]?.rootCorrelationId).toMatch(/^t-/);
    expect(all).toContain(`00-${TRACE}-`);
    expect(["Lovelace", "U-ADA", "D-ADA", "T-ACME", "event-of-ada"].filter((word) => all.includes(word))).toEqual([]);
  });
});

describe("given a local agent that gets a message of another one", () => {
  it.each(["notify", "consult", "task_delegate"])(
    "when it is a %s and the agent delegates the work, then its model reads nothing of the person or the prompt (R7)",
    async (msg_type) => {
      const { core: started, peer } = await startPair(
        asks({ message: "any ships?", msg_type }),
        roles({
          primary: () => "three",
          // A peer's request starts with a bracket too.
          continuation: (asked) =>
            asked.text.startsWith("[message from") ? delegates(["north", "south"], "looking")(asked) : "three ships",
        }),
      );
      core = started;
      await core.receive(message);
      if (msg_type === "task_delegate") await untilUnsolicitedAsTimePasses(core);
      else await core.replyTo(message.id);
      await peer.requests.until((items) => items.length > 2);
      const read = JSON.stringify(peer.requests.items.map(({ system, messages, tools }) => [system, messages, tools]));
      expect(read).toContain("any ships?");
      if (msg_type === "task_delegate") expect(read).toContain("[results of delegated work]");
      expect(PRIVATE.filter((word) => read.includes(word) && word !== "2026-03-10")).toEqual([]);
    },
  );
});
