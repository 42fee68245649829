import { expect, it } from "vitest";
import { openScratch, scratchDir } from "../../../core/backbone/embedded/scratch.ts";
import { startEcho, startOnBackbone } from "../server/backbone-gateway.ts";
import { enter } from "../web-client.ts";

it("given a full disk, when a visitor sends a message, then it is refused, and a later retry succeeds once (F15)", async () => {
  const { database, backbone } = openScratch(scratchDir());
  const gateway = await startOnBackbone(backbone);
  await startEcho(backbone, [gateway]);
  const { client } = await enter(gateway);
  database.limitPages(1);
  const text = "a word ".repeat(1_000);
  client.send({ type: "message", id: "m1", text });
  const refusal = await client.next("error");
  expect(refusal).toMatchObject({ code: "unavailable", id: "m1" });
  expect(backbone.health()).toMatchObject({ ok: false });
  database.limitPages(1_000_000);
  client.send({ type: "message", id: "m1", text });
  await client.next("accepted", ({ id }) => id === "m1");
  await client.until(() => client.logged().some(({ type }) => type === "reply"));
  expect(client.frames.filter(({ type }) => type === "accepted")).toHaveLength(1);
  expect(client.logged()).toHaveLength(2);
  await gateway.stop();
});
