import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { activityOf } from "../../../../core/contract/messages/agent-reply.ts";
import { SdkAgent, TaskState } from "../../../fakes/a2a/sdk-agent.ts";
import { freePort } from "../../../setup/free-port.ts";
import { userMessage } from "../../core-under-test.ts";
import {
  asks,
  asTimePasses,
  isPause,
  theCall,
  toolOutputs,
  untilUnsolicited,
  untilUnsolicitedAsTimePasses,
} from "../peers-under-test.ts";
import { type RemotePair, startRemote, stopRemote, to } from "./remote-under-test.ts";

let pair: RemotePair;
let plain: SdkAgent | undefined;
afterEach(async () => {
  await stopRemote(pair);
  await plain?.stop();
  plain = undefined;
});

const start = async (...args: Parameters<typeof startRemote>): Promise<RemotePair> => {
  pair = await startRemote(...args);
  return pair;
};

const CONSULT = asks(to("any ships?", "consult"));
const DELEGATE = asks(to("count them", "task_delegate"));

type Answer = (response: ServerResponse) => void;
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end("nginx at 10.0.0.7:8080");
const body =
  (text: string): Answer =>
  (response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(text);

/** Overrides the response to card requests, or to all others. */
const answering = (what: "card" | "call", answer: Answer) => ({
  intercept: (request: IncomingMessage, response: ServerResponse) => {
    if ((what === "card") !== (request.url?.endsWith("agent-card.json") === true)) return false;
    answer(response);
    return true;
  },
});

const REACH = "Could not reach the agent ships.";
const ACCEPT = "ships did not accept the request.";
const READ = "ships sent an unreadable answer.";

describe("given a remote agent whose failure no retry can fix", () => {
  it.each<[string, "card" | "call", Answer, string]>([
    ["its card is a redirect", "card", status(301, { location: "http://10.0.0.7/" }), REACH],
    ["its card is not found", "card", status(404), REACH],
    ["its card was removed", "card", status(410), REACH],
    ["its card is forbidden", "card", status(403), ACCEPT],
    ["its card is a web page", "card", body("<html>http://10.0.0.7</html>"), READ],
    ["its card is null", "card", body("null"), REACH],
    ["its card names no address", "card", body('{"name":"Ships"}'), REACH],
    ["it redirects", "call", status(308, { location: "http://10.0.0.7/" }), REACH],
    ["its endpoint is not found", "call", status(404), REACH],
    ["it does not allow the method", "call", status(405), REACH],
    ["its endpoint was removed", "call", status(410), REACH],
    ["it rejects the credentials", "call", status(401), ACCEPT],
    ["it answers with a web page", "call", body("<html>http://10.0.0.7</html>"), READ],
  ])("when %s, then the call fails at once, and people see no address", async (_, what, answer, text) => {
    const { core, remote } = await start(DELEGATE, () => {}, { remoteAgent: answering(what, answer) });
    await core.receive(userMessage("m-1", "go"));
    const [reply] = await untilUnsolicited(core);
    expect(reply?.markdown).toBe(`told: ${text}`);
    const call = await theCall(core);
    expect(call).toMatchObject({ state: "failed", error: text, detail: expect.any(String) });
    expect(remote.received).toEqual([]);
  });

  it("when its https address has no TLS, then the call fails at once too", async () => {
    plain = await SdkAgent.start(() => {});
    const { core } = await start(CONSULT, () => {}, { peer: { url: plain.url.replace("http:", "https:") } });
    await core.ask("m-1", "go");
    expect(toolOutputs(core)[0]).toContain(REACH);
  });

  it("when its reason has addresses and secrets, then people see it without them, and operators with them", async () => {
    const reason =
      "Fog at pier 3, since 12:30:45: connect ECONNREFUSED 10.0.0.7:5432 (http://db.internal/x?token=abc), " +
      "Authorization: Bearer abcdef0123456789\n    at Socket.connect (/app/db.js:1:2)";
    const { core } = await start(DELEGATE, (work) => work.status(TaskState.TASK_STATE_FAILED, reason));
    await core.receive(userMessage("m-1", "go"));
    const [reply] = await untilUnsolicitedAsTimePasses(core);
    expect(reply?.markdown).toContain("Fog at pier 3, since 12:30:45");
    expect(reply?.markdown).not.toMatch(/10\.0|5432|http|internal|abc|app\/db/);
    expect((await theCall(core)).detail).toBe(reason);
  });
});

describe("given an unreachable remote agent", () => {
  const shown = (core: RemotePair["core"]) => core.replies.items.flatMap((reply) => activityOf(reply)?.items ?? []);

  it("when it stays unreachable, then people see that it is retried, and after ten minutes that the call has failed", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { core } = await start(DELEGATE, () => {}, { peer: { url } });
    await core.receive(userMessage("m-1", "go"));
    // The pauses between attempts, without the timeout of a request and the store's probe writes.
    const isPassed = (ms: number) => ms > 0 && ms <= 64_000 && ![30_000, 60_000].includes(ms);
    const [reply] = await asTimePasses(core, untilUnsolicited(core), isPassed);
    expect(reply?.markdown).toBe(`told: ${REACH}`);
    const { createdAt, endedAt = "", detail } = await theCall(core);
    const lastedMs = Date.parse(endedAt) - Date.parse(createdAt);
    expect(lastedMs).toBeGreaterThanOrEqual(600_000);
    // The test's clock runs on during each attempt.
    expect(lastedMs).toBeLessThan(3_600_000);
    expect(shown(core)).toContainEqual(
      expect.objectContaining({
        state: "pending",
        note: expect.stringMatching(/^unreachable, retrying since \d\d:\d\d UTC$/),
      }),
    );
    expect(detail).toContain("ECONNREFUSED");
  });

  it("when it becomes reachable in time, then its answer arrives, and it no longer counts as unreachable", async () => {
    let refusals = 3;
    const { core } = await start(DELEGATE, (work) => work.answer("three ships"), {
      peer: { unreachableMs: 60_000 },
      remoteAgent: {
        intercept: (_request, response) => {
          if (refusals-- <= 0) return false;
          response.destroy();
          return true;
        },
      },
    });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toBe("told: three ships");
    const call = await theCall(core);
    expect([call.state, call.detail, call.remote?.unreachableSince]).toEqual(["answered", undefined, undefined]);
  });
});

describe("given a remote agent that hangs", () => {
  it.each(["card", "call"] as const)("when its %s hangs, then the call fails at the deadline", async (what) => {
    const { core } = await start(CONSULT, () => {}, {
      peer: { deadlineMs: 20_000 },
      remoteAgent: answering(what, () => {}),
    });
    const begun = core.clock.now();
    await core.receive(userMessage("m-1", "go"));
    await asTimePasses(core, core.replyTo("m-1"), (ms) => isPause(ms) || ms === 20_000);
    expect(toolOutputs(core)[0]).toContain("There is no answer from ships");
    expect(core.clock.now() - begun).toBe(20_000);
  });
});
