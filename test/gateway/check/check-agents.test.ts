import { afterEach, describe, expect, it } from "vitest";
import { Config } from "../../../config/schema/config.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { checkModel } from "../../../gateway/check/check-live.ts";
import { SdkAgent, type SdkAgentOptions } from "../../fakes/a2a/sdk-agent.ts";
import { freePort } from "../../setup/free-port.ts";

let remote: SdkAgent | undefined;
afterEach(async () => {
  await remote?.stop();
  remote = undefined;
});

const start = async (options: SdkAgentOptions = {}): Promise<SdkAgent> => {
  remote = await SdkAgent.start((work) => work.answer("three"), options);
  return remote;
};

const check = (settings: object) => {
  const [agent] = Config.parse({ agents: [{ name: "harbour", model: { provider: "a2a", ...settings } }] }).agents;
  if (agent === undefined) throw new Error("there is no agent");
  return checkModel(agent, agent.model, {
    clock: systemClock,
    logger: silentLogger,
    path: "agents[0].model",
    references: new Map(),
  });
};

describe("given an agent elsewhere as the model of an agent", () => {
  it("when it accepts the token, then `check --live` says so, and no work was sent to it (T6)", async () => {
    const { url, received } = await start({ token: "right" });
    expect(await check({ url, token: "right" })).toEqual({
      verdict: "ok",
      subject: "model of harbour",
      text: `the card of a2a/${new URL(url).host} is valid, and it accepts the credentials`,
    });
    expect(received).toEqual([]);
  });

  it("when it rejects the token, then the problem names the setting (T6)", async () => {
    const { url } = await start({ token: "right" });
    expect(await check({ url, token: "wrong" })).toMatchObject({
      verdict: "problem",
      text: expect.stringContaining("rejected our credentials (HTTP 401): check the model of agents.harbour"),
    });
  });

  it("when it cannot be reached, then the problem contains the network error (T6)", async () => {
    const finding = await check({ url: `http://127.0.0.1:${await freePort()}` });
    expect(finding).toMatchObject({ verdict: "problem", text: expect.stringContaining("ECONNREFUSED") });
  });

  it("when it is configured with a token and a key, then the configuration is refused", () => {
    expect(() => check({ url: "http://127.0.0.1:9", token: "a", apiKey: "b" })).toThrow("not both");
  });
});
