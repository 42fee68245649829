import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEmbeddedBackbone } from "../../../core/backbone/embedded/open-embedded-backbone.ts";
import { silentLogger } from "../../../core/contract/logger.ts";
import { startEcho, startOnBackbone } from "./backbone-gateway.ts";
import { enter } from "./web-client.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "mooring-web-"));
});
afterEach(() => rm(dataDir, { recursive: true }));

describe("given two gateways on the embedded backbone", () => {
  it("when tabs on both write, then both see all in one order; after a restart they go on from there", async () => {
    const backbone = await openEmbeddedBackbone({ dataDir, logger: silentLogger });
    const gateways = [await startOnBackbone(backbone), await startOnBackbone(backbone)] as const;
    const echo = await startEcho(backbone, gateways);
    const { client: one, welcome } = await enter(gateways[0]);
    const { client: two } = await enter(gateways[1], { token: welcome.token });
    for (let n = 0; n < 10; n++) {
      one.send({ type: "message", id: `a${n}`, text: `a${n}` });
      two.send({ type: "message", id: `b${n}`, text: `b${n}` });
    }
    for (const tab of [one, two]) await tab.until(() => tab.logged().length === 40);
    expect(one.logged()).toEqual(two.logged());
    expect(one.logged().map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    await echo.close();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await backbone.close();

    const again = await openEmbeddedBackbone({ dataDir, logger: silentLogger });
    const gateway = await startOnBackbone(again);
    const back = await enter(gateway, { token: welcome.token, resumeFrom: 38 });
    back.client.send({ type: "message", id: "a9", text: "a9" });
    back.client.send({ type: "message", id: "c0", text: "c0" });
    await back.client.next("said", ({ id }) => id === "c0");
    expect(back.client.logged().map(({ seq }) => seq)).toEqual([39, 40, 41]);
    await gateway.stop();
    await again.close();
  });
});
