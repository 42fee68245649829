import { getEventListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
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
  return { url, broken, fetch: serverFetch({ url, headers: {}, onBroken: (reason) => broken.push(reason) }) };
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

  it("when many small events are more in total, then all arrive", async () => {
    const { fetch, url, broken } = await serving((response) => {
      response.setHeader("content-type", "text/event-stream");
      for (let megabyte = 0; megabyte < 18; megabyte++) response.write(Buffer.concat([piece, Buffer.from("\n\n")]));
      response.end();
    });
    expect((await (await fetch(url)).text()).length).toBe(18 * 1_000_002);
    expect(broken).toEqual([]);
  });
});
