import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import type { AgentModel } from "../../../core/model/agent-model.ts";
import { DemoModel } from "../../../core/model/demo/demo-model.ts";
import { ScriptedModel } from "../../fakes/scripted-model.ts";
import { freePort } from "../../setup/free-port.ts";
import { AGENT, CoreUnderTest } from "../core-under-test.ts";
import { ASYNC, PEER, untilUnsolicited } from "./peers-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const start = async (tenants: Record<string, { a2aAsync: boolean }>, peerModel?: AgentModel) => {
  const model = new DemoModel({ pauseMs: 0 }, { clock: systemClock });
  core = await CoreUnderTest.start([], {
    tenants,
    agent: { model, peers: [PEER] },
    others: [{ name: PEER, tenant: "default", model: peerModel ?? model, peers: [AGENT] }],
  });
};

describe("given two agents with the demo model", () => {
  it("when a person has one ask the other, then the reply has the answer", async () => {
    await start({});
    const { markdown } = await core.ask("m-1", "ask harbour what is 6 * 7?");
    expect(markdown).toContain("harbour says: 6 * 7 = 42");
  });

  it("when messages are async, then the answer arrives later", async () => {
    await start(ASYNC);
    const { markdown } = await core.ask("m-1", "ask harbour what is 6 * 7?");
    expect(markdown).toContain("I have asked harbour, and will tell you what it says.");
    const [reply] = await untilUnsolicited(core);
    expect(reply?.markdown).toBe("harbour says: 6 * 7 = 42");
  });

  it("when a later answer has several lines and paragraphs, then all of it is passed on", async () => {
    await start(ASYNC, new ScriptedModel(() => "High tide:\n- noon\n- midnight\n\nLow tide: at six."));
    await core.ask("m-1", "ask harbour about tides");
    const [reply] = await untilUnsolicited(core);
    expect(reply?.markdown).toBe("harbour says: High tide:\n- noon\n- midnight\n\nLow tide: at six.");
  });

  it("when the named agent is unknown, then the reply suggests the right name", async () => {
    await start({});
    expect((await core.ask("m-1", "ask harbor what is 6 * 7?")).markdown).toContain('Did you mean "harbour"?');
  });

  it("when it is asked what it can do, then it lists asking another agent", async () => {
    await start({});
    expect((await core.ask("m-1", "what can you do?")).markdown).toContain("ask another agent");
  });
});

describe("given a remote agent and the demo model", () => {
  it("when it is unreachable, then the person reads that, and no promise of an answer", async () => {
    const model = new DemoModel({ pauseMs: 0 }, { clock: systemClock });
    const url = `http://127.0.0.1:${await freePort()}`;
    core = await CoreUnderTest.start([], {
      agent: { model, peers: ["ships"] },
      remote: { peers: [{ name: "ships", tenant: "default", url: `${url}/`, unreachableMs: 0 }] },
    });
    expect((await core.ask("m-1", "ask ships what is 6 * 7?")).markdown).toMatch(
      /\n\nCould not reach the agent ships\.$/,
    );
  });
});
