import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createGuardedFetch,
  type GuardedFetch,
  type GuardOptions,
  type Lookup,
} from "../../../core/net/guarded-fetch.ts";

let server: Server;
let port: number;
let hits: string[];
let guarded: GuardedFetch | undefined;

beforeEach(async () => {
  hits = [];
  server = createServer((request, response) => {
    hits.push(request.url ?? "");
    if (request.url === "/redirect") response.writeHead(302, { location: "/there" }).end();
    else if (request.url === "/large") response.end("x".repeat(5_000));
    else if (request.url === "/bomb") {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(5_000)));
    } else if (request.url === "/announced-bomb") {
      const body = gzipSync(Buffer.alloc(5_000));
      response.writeHead(200, { "content-encoding": "gzip", "content-length": body.length }).end(body);
    } else if (request.url === "/longer-than-announced") {
      request.socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n${"x".repeat(5_000)}`);
    } else if (request.url === "/silent") response.writeHead(200).flushHeaders();
    else response.end("hello");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  await guarded?.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** A name server with fixed answers. */
const resolving =
  (...addresses: string[]): Lookup =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );

const get = (url: string, options: GuardOptions = {}) => {
  guarded = createGuardedFetch(options);
  return guarded.fetch(url.replace("PORT", String(port)));
};

describe("given an address that an untrusted party has chosen (F26)", () => {
  it.each([
    "http://127.0.0.1:PORT/",
    "http://localhost:PORT/",
    "http://[::1]:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://0x7f.1:PORT/",
    "http://2130706433:PORT/",
    "http://0.0.0.0:PORT/",
    "http://169.254.169.254/latest/meta-data",
    "http://10.0.0.1/",
    "http://192.168.1.1/",
    "http://172.16.0.1/",
    "http://100.64.0.1/",
    "http://[fd00::1]/",
    "http://[fe80::1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://user:pass@127.0.0.1:PORT/",
    "file:///etc/passwd",
    "ftp://example.com/",
    "no address",
  ])("when it is %s, then it is not called", async (url) => {
    await expect(get(url)).rejects.toMatchObject({ code: "forbidden" });
    expect(hits).toEqual([]);
  });

  it.each([[["127.0.0.1"]], [["93.184.216.34", "127.0.0.1"]], [["::ffff:127.0.0.1"]], [["fd00::1"]]])(
    "when its name resolves to %j, then it is not called",
    async (addresses) => {
      const lookup = resolving(...addresses);
      await expect(get("http://localhost:PORT/", { lookup })).rejects.toMatchObject({ code: "forbidden" });
      expect(hits).toEqual([]);
    },
  );

  it("when its name has no address, then the fetch fails", async () => {
    await expect(get("http://localhost:PORT/", { lookup: resolving() })).rejects.toThrow("fetch failed");
  });
});

describe("given an allowed private network", () => {
  const allow = ["127.0.0.0/8"];

  it("when an address in it is called, then it answers", async () => {
    const response = await get("http://127.0.0.1:PORT/ok", { allow });
    expect([response.status, await response.text()]).toEqual([200, "hello"]);
  });

  it("when a name resolves into it, then the fetch connects to that address", async () => {
    const response = await get("http://localhost:PORT/ok", { allow, lookup: resolving("127.0.0.1") });
    expect(await response.text()).toBe("hello");
  });

  it("when its name then resolves to another address, then the fetch connects to the checked one (F26)", async () => {
    const answers = ["127.0.0.1", "127.0.0.2"];
    const lookups: string[] = [];
    const rebinding: Lookup = (hostname, options, callback) => {
      lookups.push(hostname);
      resolving(answers.shift() ?? "")(hostname, options, callback);
    };
    const response = await get("http://localhost:PORT/ok", { allow: ["127.0.0.1"], lookup: rebinding });
    expect([await response.text(), lookups]).toEqual(["hello", ["localhost"]]);
  });

  it("when another private address is called, then it is refused", async () => {
    await expect(get("http://10.0.0.1/", { allow })).rejects.toMatchObject({ code: "forbidden" });
  });

  it("when it redirects, then the redirect is not followed", async () => {
    await expect(get("http://127.0.0.1:PORT/redirect", { allow })).rejects.toThrow();
    expect(hits).toEqual(["/redirect"]);
  });

  it.each(["/large", "/bomb", "/announced-bomb"])(
    "when %s is larger than allowed after decompression, then reading it fails",
    async (path) => {
      const response = await get(`http://127.0.0.1:PORT${path}`, { allow, maxBytes: 1_000 });
      await expect(response.text()).rejects.toMatchObject({ code: "too-large" });
    },
  );

  it("when it sends more than the length that it announces, then only that length is read", async () => {
    const response = await get("http://127.0.0.1:PORT/longer-than-announced", { allow, maxBytes: 1_000 });
    expect((await response.text()).length).toBe(10);
  });

  it("when it stops sending, then the fetch times out", async () => {
    const response = await get("http://127.0.0.1:PORT/silent", { allow, silenceMs: 50 });
    await expect(response.text()).rejects.toThrow();
  });
});
