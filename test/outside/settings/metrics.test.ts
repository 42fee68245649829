import { afterEach, beforeAll, describe, expect } from "vitest";
import { requireFreshBuild } from "../../e2e/mooring-process.ts";
import { type Backbone, type Command, Product } from "../product.ts";
import { proves } from "./proves.ts";

beforeAll(requireFreshBuild);

let product: Product;
afterEach(() => product.dispose());

const TOKEN = "hB5nY8rC3dL6gJ0fW2tE";
const roles: [Backbone, Command][] = [
  ["embedded", "start"],
  ["nats", "core"],
];

describe.each(roles)("given a process on %s that runs as %s", (backbone, command) => {
  proves(
    ["metrics.token"],
    "when /metrics is requested through a proxy, then it needs the metrics token; locally it does not (U4)",
    async () => {
      product = await Product.create({ backbone, config: { metrics: { token: TOKEN } } });
      const mooring = await product.start(command);
      await mooring.ready();
      const ask = (headers: Record<string, string>) => fetch(`${mooring.address}/metrics`, { headers });
      const forwarded = { "x-forwarded-for": "198.51.100.9" };
      const refused = await ask(forwarded);
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="mooring"']);
      expect((await ask({ ...forwarded, authorization: "Bearer wrong" })).status).toBe(401);
      expect((await ask({ ...forwarded, authorization: `Bearer ${TOKEN}` })).status).toBe(200);
      expect(await (await ask({})).text()).toContain("mooring_");
    },
  );

  proves(["metrics.public"], "when metrics are configured as public, then no token is needed", async () => {
    product = await Product.create({ backbone, config: { metrics: { public: true } } });
    const mooring = await product.start(command);
    await mooring.ready();
    const answer = await fetch(`${mooring.address}/metrics`, { headers: { "x-forwarded-for": "198.51.100.9" } });
    expect(answer.status).toBe(200);
  });
});
