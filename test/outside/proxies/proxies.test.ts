import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../../e2e/mooring-process.ts";
import { WebClient } from "../../fakes/web-client.ts";
import { freePort } from "../../setup/free-port.ts";
import { Product, type StartedProcess } from "../product.ts";
import { caddy, nginx, ReverseProxy } from "./reverse-proxy.ts";

beforeAll(requireFreshBuild);

/** nginx is a tool of the tests; Caddy runs where CADDY names its program. */
const programs = [nginx, ...(process.env.CADDY === undefined ? [] : [caddy(process.env.CADDY)])];

describe.each(programs)("given the shipped configuration of $name, with TLS, in front of a gateway (U5)", (program) => {
  let product: Product;
  let mooring: StartedProcess;
  let proxy: ReverseProxy;
  let visitor: WebClient;
  beforeAll(async () => {
    product = await Product.create({ backbone: "embedded" });
    const ports = await ReverseProxy.ports(await freePort());
    const publicUrl = `https://localhost:${ports.https}`;
    mooring = await product.start("start", {
      gateway: { host: "127.0.0.1", port: ports.gateway, publicUrl, trustedProxies: ["127.0.0.1"] },
    });
    await mooring.running;
    proxy = await ReverseProxy.start(program, ports);
    visitor = new WebClient("ann", () => proxy.address, "web", undefined, { ca: proxy.certificate });
    await visitor.until(() => visitor.room !== undefined, "the welcome");
  });
  afterAll(async () => {
    visitor?.close();
    await proxy?.stop();
    await product?.dispose();
  });

  it("when a visitor writes over a socket, then the answer arrives", async () => {
    expect((await visitor.answerTo(visitor.say("What is 6 * 7?"))).markdown).toContain("42");
  });

  it("when a visitor uploads the largest file, then it is stored; the proxy refuses a larger one", async () => {
    const upload = (bytes: number) =>
      proxy.send("/channels/web/files?name=a.txt", {
        method: "POST",
        headers: { authorization: `Bearer ${visitor.token}`, "content-type": "text/plain" },
        body: Buffer.alloc(bytes, "x"),
      });
    expect((await upload(20_000_000)).status).toBe(201);
    // The proxy may close the connection while the rest of the body is on its way.
    expect(
      await upload(40_000_000).then(
        ({ status }) => status,
        () => 413,
      ),
    ).toBe(413);
  });

  it("when clients guess tokens, then each address has its own limit, and a header of the client changes nothing", async () => {
    const guess = (from: string, headers: Readonly<Record<string, string>> = {}) =>
      proxy.send("/admin/api/me", { from, headers: { authorization: "Bearer wrong-kX9vQ2mT7wZ4", ...headers } });
    const statuses: number[] = [];
    // Loopback addresses have ten times the limit of ten.
    for (let round = 0; round < 12; round++) {
      const sent = await Promise.all(Array.from({ length: 10 }, () => guess("127.0.0.2")));
      statuses.push(...sent.map(({ status }) => status));
    }
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect((await guess("127.0.0.2", { "x-forwarded-for": "198.51.100.9" })).status).toBe(429);
    expect((await guess("127.0.0.2", { forwarded: "for=198.51.100.9" })).status).toBe(429);
    expect((await guess("127.0.0.3")).status).toBe(401);
  });

  it("when anyone asks for metrics, then there are none; health and pages are served, with HSTS", async () => {
    expect((await proxy.send("/metrics")).status).toBe(404);
    const page = await proxy.send("/");
    expect([page.status, page.headers["strict-transport-security"]]).toEqual([200, "max-age=31536000"]);
    expect((await proxy.send("/health/ready")).status).toBe(200);
  });

  it("when a browser uses http, then it is redirected to https", async () => {
    const response = await fetch(`http://127.0.0.1:${proxy.ports.http}/console`, {
      redirect: "manual",
      headers: { host: "localhost" },
    });
    expect([301, 308]).toContain(response.status);
    expect(response.headers.get("location")).toMatch(/^https:\/\/.*\/console$/);
  });

  it("when all that happened, then nothing warned of an undeclared proxy", () => {
    expect(mooring.stdout() + mooring.stderr()).not.toMatch(/undeclared proxy|trustedProxies/);
  });
});
