import { getEventListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { FloodLimit } from "../../../../core/tools/mcp/client/flood-limit.ts";
import { serverFetch } from "../../../../core/tools/mcp/client/server-fetch.ts";
import { TestHttpServer } from "../../../fakes/mcp/http-server.ts";

const servers: TestHttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

const serving = async (answer: (response: ServerResponse) => void) => {
  const server = await TestHttpServer.start((_, response) => answer(response));
  servers.push(server);
  const broken: string[] = [];
  const url = new URL(server.url);
  const flood = new FloodLimit({ monotonic: () => 0 });
  return { url, broken, fetch: serverFetch({ url, headers: {}, onBroken: (reason) => broken.push(reason), flood }) };
};

const json = (response: ServerResponse) => response.setHeader("content-type", "application/json").end("{}");
const event = (response: ServerResponse) => {
  response.setHeader("content-type", "text/event-stream").write("data: {}\n\n");
  return response;
};

describe("given one signal for all requests of a session, as the SDK has it (T2)", () => {
  it.each([
    ["JSON", json],
    ["events", (response: ServerResponse) => event(response).end()],
    ["nothing", (response: ServerResponse) => response.writeHead(202).end()],
  ])("when many requests are answered with %s, then they do not leave listeners on it", async (_, answer) => {
    const { fetch, url } = await serving(answer);
    const session = new AbortController();
    for (let n = 0; n < 20; n++) await (await fetch(url, { signal: session.signal })).text();
    expect(getEventListeners(session.signal, "abort").length).toBeLessThanOrEqual(1);
  });

  it("when the session ends, then a stream that is still open ends too", async () => {
    const { fetch, url } = await serving(event);
    const session = new AbortController();
    const response = await fetch(url, { signal: session.signal });
    const text = response.text();
    session.abort(new Error("closed"));
    await expect(text).rejects.toThrow("closed");
  });

  it("when the connection is refused, then the request leaves no listener", async () => {
    const { fetch, url } = await serving(json);
    for (const server of servers.splice(0)) await server.stop();
    const session = new AbortController();
    await expect(fetch(url, { signal: session.signal })).rejects.toThrow();
    expect(getEventListeners(session.signal, "abort").length).toBeLessThanOrEqual(1);
  });
});

describe("given an answer that is too large (T2)", () => {
  const piece = Buffer.alloc(1_000_000, "x");

  it.each([
    ["a body", "application/json"],
    ["one event", "text/event-stream"],
  ])("when it is %s, then reading it fails and the reason is reported once", async (_, type) => {
    const { fetch, url, broken } = await serving((response) => {
      response.setHeader("content-type", type);
      for (let megabyte = 0; megabyte < 17; megabyte++) response.write(piece);
      response.end();
    });
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow("more than 16000000 bytes at once");
    expect(broken).toEqual(["it sent more than 16000000 bytes at once"]);
  });

  const streaming = (piece: Buffer, pieces: number) =>
    serving((response) => {
      response.setHeader("content-type", "text/event-stream");
      for (let sent = 0; sent < pieces; sent++) response.write(piece);
      response.end();
    });

  it.each(["\n", "\r\n"])(
    "when many small events are more in total, then all arrive (lines end with %j)",
    async (end) => {
      const event = Buffer.concat([piece, Buffer.from(end + end)]);
      const { fetch, url, broken } = await streaming(event, 18);
      expect((await (await fetch(url)).text()).length).toBe(18 * event.length);
      expect(broken).toEqual([]);
    },
  );

  it.each(["", ":\n", "\r"])(
    "when it is one event of many lines (between them: %j), then reading it fails",
    async (between) => {
      const lines = Buffer.from(`data: ${"x".repeat(99_000)}\n${between}`);
      const { fetch, url, broken } = await streaming(lines, 170);
      await expect(fetch(url).then((response) => response.text())).rejects.toThrow("more than 16000000 bytes at once");
      expect(broken).toHaveLength(1);
    },
  );

  it.each([
    ["small", Buffer.from("data: {}\n\n".repeat(1_000)), 10, "more than 2000 messages in a second"],
    ["large", Buffer.from(`data: ${"x".repeat(1_000_000)}\n\n`), 80, "more than 64000000 bytes in a few seconds"],
  ])("when it is a flood of %s events, then reading it fails", async (_, events, times, rule) => {
    const { fetch, url, broken } = await streaming(events, times);
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow(rule);
    expect(broken).toEqual([expect.stringContaining(rule)]);
  });
});

describe("given a stream of events that ends without the answer to its request (T2)", () => {
  const request = { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call" }) };
  const streamed = async (text: string, init: RequestInit = request, isCut = false) => {
    const { fetch, url } = await serving((response) => {
      response.setHeader("content-type", "text/event-stream");
      response.write(text, () => (isCut ? response.destroy() : response.end()));
    });
    return (await fetch(url, init)).text();
  };

  it.each([true, false])("when it cannot be resumed, then the request gets an error (cut off: %s)", async (isCut) => {
    const last = (await streamed('data: {"method":"notifications/message"}\n\n', request, isCut))
      .trim()
      .split("data: ")
      .at(-1);
    expect(JSON.parse(last ?? "")).toMatchObject({ jsonrpc: "2.0", id: 7, error: { code: -32_000 } });
  });

  it.each([
    ["it had the answer", 'data: {"id":7,"result":{}}\n\n', request],
    ["it can be resumed", "id: e1\ndata: \n\n", request],
    ["it is the server's own stream", "data: {}\n\n", {}],
  ])("when %s, then nothing is added", async (_, text, init) => {
    expect(await streamed(text, init)).toBe(text);
  });
});
