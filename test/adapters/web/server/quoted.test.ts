import { describe, expect, it } from "vitest";
import { makeDelivery } from "../make-delivery.ts";
import { runningGateways } from "../running-gateways.ts";
import { enter, type WebClient } from "../web-client.ts";

const start = runningGateways();

const say = async (client: WebClient, id: string, replyTo?: string, text = `text of ${id}`): Promise<void> => {
  client.send({ type: "message", id, text, ...(replyTo !== undefined && { replyTo }) });
  await client.next("accepted");
};

describe("given a visitor who replies to a message of their conversation (M1)", () => {
  it("then the message quotes it: the agent's reply in its latest state, or their own message", async () => {
    const gateway = await start();
    const { client, welcome } = await enter(gateway);
    const visitor = welcome.conversation;
    const reply = (markdown: string) => makeDelivery(visitor, "r1", { part: { index: 0, count: 1, markdown } });
    await say(client, "m1");
    await gateway.adapter.deliver(reply("High water at six."));
    await say(client, "m2", "r1");
    await gateway.adapter.edit("r1", reply("High water at seven."));
    await say(client, "m3", "r1");
    await say(client, "m4", "m1");
    await say(client, "m5", "r-unknown");
    await say(client, "m6", "r1", "/status");
    expect(gateway.accepted.map((message) => ("quoted" in message ? message.quoted : undefined))).toEqual([
      undefined,
      { text: "High water at six.", isOwn: true, at: expect.any(String) },
      { text: "High water at seven.", isOwn: true, at: expect.any(String) },
      { text: "text of m1", at: expect.any(String) },
      undefined,
      undefined,
    ]);
  });

  it("when another visitor names the reply, then nothing of it is quoted", async () => {
    const gateway = await start();
    const { welcome } = await enter(gateway);
    await gateway.adapter.deliver(makeDelivery(welcome.conversation, "r1"));
    const { client: other } = await enter(gateway);
    await say(other, "m1", "r1");
    expect(gateway.accepted).toHaveLength(1);
    expect(gateway.accepted[0]).not.toHaveProperty("quoted");
  });

  it("when the reply is older than the newest entries, then nothing is quoted, and the reads are bounded", async () => {
    const gateway = await start();
    const { client, welcome } = await enter(gateway);
    const visitor = welcome.conversation;
    for (let count = 0; count < 300; count++) await gateway.adapter.deliver(makeDelivery(visitor, `r${count}`));
    await say(client, "m1", "r10");
    await say(client, "m2", "r100");
    expect(gateway.accepted[0]).not.toHaveProperty("quoted");
    expect(gateway.accepted[1]).toHaveProperty("quoted");
  });
});
