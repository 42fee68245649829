import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { streamable, TestHttpServer } from "../../../fakes/mcp/http-server.ts";
import { ALL, fakeServer, McpRig, run } from "../../../fakes/mcp/mcp-rig.ts";

/** No pattern recognises it. */
const KEY = "harbour master's own words";

let rig: McpRig;
beforeEach(async () => {
  rig = await McpRig.create();
});
afterEach(() => rig.dispose());

const started = async (plan: object, rest: object = {}) => {
  const env = { TIDE_API_KEY: KEY, TIDE_MODE: "production" };
  const names = ["leak", "leak_error", "leak_and_die", "slow", "echo"];
  const tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
  const { source } = rig.start({ tide: fakeServer({ tools, ...plan }, { env, ...rest }) });
  return (await source.offer(ALL)).tools;
};
const logged = () => JSON.stringify(rig.logger.lines.items);

describe("given a tool server that repeats its credentials (T2)", () => {
  it("when they are in a result or an error, then the model does not get them, and gets its other settings", async () => {
    const tools = await started({});
    expect((await run(tools, "tide__leak")).text).toBe("key [secret] in production");
    await expect(run(tools, "tide__leak_error")).rejects.toThrow("wrong key [secret]");
  });

  it("when it prints them and ends, then neither the log nor the failed call has them", async () => {
    const tools = await started({});
    await expect(run(tools, "tide__leak_and_die")).rejects.toThrow("its last output: refused [secret].");
    expect(logged()).toContain("refused [secret]");
    expect(logged()).not.toContain(KEY);
  });

  it("when a remote one has them in an answer with an error, then the failed call does not", async () => {
    let isUp = true;
    const up = streamable(true);
    const server = await TestHttpServer.start((request, response) =>
      isUp ? up(request, response) : void response.writeHead(500).end(`wrong: ${request.headers["x-key"]}`),
    );
    const config = { url: server.url, headers: { "X-Key": KEY }, approval: "never" };
    const { tools } = await rig.start({ calc: config }).source.offer(ALL);
    isUp = false;
    await expect(run(tools, "calc__add", { a: 1, b: 2 })).rejects.toThrow("wrong: [secret]");
    await server.stop();
    expect(logged()).not.toContain(KEY);
  });
});

describe("given a tool server that answers after the time limit of a call (T2)", () => {
  it("when the answer arrives, then the log has no word of it (R4)", async () => {
    const until = join(rig.dataDir, "until");
    const tools = await started({ until }, { timeoutMs: 300 });
    await expect(run(tools, "tide__slow")).rejects.toThrow("did not answer within 300 ms");
    await writeFile(until, "");
    await rig.logger.lines.until((lines) =>
      lines.some(({ fields }) => String(fields.error).includes("unknown message ID")),
    );
    expect(logged()).not.toContain("slow and done");
  });
});
