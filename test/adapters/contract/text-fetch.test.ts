import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { textFetch } from "../../../adapters/contract/text-fetch.ts";

const server = createServer((request, response) => void answer(request, response));
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
let url: string;
let aborter: AbortController;

beforeEach(async () => {
  aborter = new AbortController();
  await once(server.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat.postMessage`;
});
afterEach(async () => {
  aborter.abort();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const open = (timeoutMs = 10_000) => textFetch({ timeoutMs, signal: aborter.signal });
const post = { method: "POST", body: "text=ahoy", headers: { "content-type": "application/x-www-form-urlencoded" } };

it("given a request with a text, then the server gets it, and its answer has status, headers and text", async () => {
  answer = async (request, response) => {
    const { method, url: path, headers } = request;
    const seen = { method, path, type: headers["content-type"], body: await text(request) };
    response.writeHead(429, { "retry-after": "7" }).end(JSON.stringify(seen));
  };
  const response = await open()(url, post);
  expect([response.status, response.ok, response.headers.get("Retry-After"), response.url]).toEqual([
    429,
    false,
    "7",
    url,
  ]);
  expect(response.headers.get("x-absent")).toBeNull();
  expect([...response.headers.entries()]).toContainEqual(["retry-after", "7"]);
  expect(await response.json()).toEqual({
    method: "POST",
    path: "/api/chat.postMessage",
    type: "application/x-www-form-urlencoded",
    body: "text=ahoy",
  });
});

it("given a request with a form, then the global fetch sends it", async () => {
  answer = async (request, response) => response.end(String(request.headers["content-type"]));
  const response = await open()(url, { method: "POST", body: new FormData() });
  expect(await response.text()).toMatch(/^multipart\/form-data/);
});

it("given a server that redirects, then the call fails and the other address gets nothing", async () => {
  const asked: (string | undefined)[] = [];
  answer = (request, response) => {
    asked.push(request.url);
    response.writeHead(302, { location: "/elsewhere" }).end();
  };
  await expect(open()(url, post)).rejects.toThrow("redirects");
  expect(asked).toEqual(["/api/chat.postMessage"]);
});

it.each([
  ["never answers", () => undefined],
  ["never ends its answer", (_: IncomingMessage, response: ServerResponse) => response.write("{")],
])("given a server that %s, then the call ends with its timeout", async (_, never) => {
  answer = never;
  await expect(open(50)(url, post)).rejects.toThrow();
});

it("given a call in progress, when the signal aborts, then the call ends, and later ones fail", async () => {
  const arrived = new Promise<void>((resolve) => {
    answer = () => resolve();
  });
  const fetchText = open();
  const call = fetchText(url, post);
  call.catch(() => undefined);
  await arrived;
  aborter.abort();
  await expect(call).rejects.toThrow();
  await expect(fetchText(url, post)).rejects.toThrow();
});

it("given an idle connection that the server has closed, then the next call uses another one", async () => {
  answer = (_, response) => response.end("{}");
  const fetchText = open();
  await fetchText(url, post);
  server.closeAllConnections();
  expect((await fetchText(url, post)).status).toBe(200);
});

it("given a connection that is cut during the answer, then the call fails", async () => {
  answer = (_, response) => {
    response.writeHead(200, { "content-length": "100" }).write("{");
    setImmediate(() => response.destroy());
  };
  await expect(open()(url, post)).rejects.toThrow();
});
