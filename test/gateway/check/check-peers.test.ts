import { afterEach, describe, expect, it } from "vitest";
import { Config } from "../../../config/schema/config.ts";
import { checkPeers } from "../../../gateway/check/check-live.ts";
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

const ask = (peer: Record<string, unknown>) =>
  checkPeers(Config.parse({ agents: [{ name: "mooring", model: "demo" }], a2a: { peers: { ships: peer } } }));

describe("given a configured remote peer", () => {
  it.each(["JSON-RPC", "HTTP+JSON", "0.3"] as const)(
    "when it speaks %s and accepts the token, then the finding is ok, and no work was sent to it",
    async (speaks) => {
      const { url, received } = await start({ speaks, token: "right" });
      expect(await ask({ url, token: "right" })).toEqual([
        { verdict: "ok", subject: "peer ships", text: "its card is valid, and it accepts the credentials" },
      ]);
      expect(received).toEqual([]);
    },
  );

  it("when it rejects the token, then the problem names the setting", async () => {
    const { url } = await start({ token: "right" });
    expect(await ask({ url, token: "wrong" })).toEqual([
      {
        verdict: "problem",
        subject: "peer ships",
        text: "ships rejected our credentials (HTTP 401): check a2a.peers.ships",
      },
    ]);
  });

  it("when it is unreachable, then the problem contains the network error", async () => {
    const [finding] = await ask({ url: `http://127.0.0.1:${await freePort()}` });
    expect(finding).toMatchObject({ verdict: "problem", text: expect.stringContaining("ECONNREFUSED") });
  });

  it("when its card names another private address, then the problem contains that address", async () => {
    const { url } = await start({ cardUrl: "http://10.1.2.3:8080" });
    const [finding] = await ask({ url });
    expect(finding).toMatchObject({ verdict: "problem", text: expect.stringContaining("http://10.1.2.3:8080") });
  });

  it("when the server is not an agent, then that is a problem", async () => {
    const { url } = await start({
      intercept: (_request, response) => {
        response.writeHead(200, { "content-type": "text/html" }).end("<p>hello</p>");
        return true;
      },
    });
    const [finding] = await ask({ url });
    expect(finding).toMatchObject({
      verdict: "problem",
      text: expect.stringMatching(/^could not read an agent card at http:/),
    });
  });
});
