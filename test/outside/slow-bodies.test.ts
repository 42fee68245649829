import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { startStopwatch } from "../setup/stopwatch.ts";
import { Product } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
let slack: FakeSlack;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await product.dispose();
  await slack.stop();
});

const OPERATOR = "kX9vQ2mT7wZ4pR1bN8sD";
const ANNOUNCED = 1_220;
/** Together the whole body budget of a gateway. */
const BODY_BYTES = 204_918;

describe("given 1,220 requests that announce a body and send none", () => {
  it("when Slack, visitors and operators send requests, then all are accepted, and the others are aborted (F38)", async () => {
    slack = await FakeSlack.start();
    const { botToken, apiUrl, signingSecret } = slack;
    product = await Product.create({
      backbone: "embedded",
      config: {
        admin: { tokens: [{ token: OPERATOR, role: "platform_admin" }] },
        channels: { web: { adapter: "web" }, slack: { adapter: "slack", botToken, apiUrl, signingSecret } },
      },
    });
    const mooring = await product.start("start");
    await mooring.ready();
    slack.sendEventsTo(`${mooring.address}/channels/slack/events`);
    const visitor = product.client("visitor", mooring.address);
    await visitor.answerTo(visitor.say("hello"));

    const head = `POST /channels/slack/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`;
    const answers: string[] = [];
    const closed = Array.from({ length: ANNOUNCED }, async () => {
      const socket = connect(mooring.port, "127.0.0.1").on("error", () => undefined);
      sockets.push(socket);
      socket.on("data", (data) => answers.push(String(data).slice(9, 12)));
      socket.write(head);
      await once(socket, "close");
    });
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    const watch = startStopwatch();

    // The gateway reads the body and rejects it as incomplete.
    const operator = async () => {
      const headers = { authorization: `Bearer ${OPERATOR}`, "content-type": "application/json" };
      return (await fetch(`${mooring.address}/admin/api/schedules`, { method: "POST", headers, body: "{}" })).status;
    };
    for (let n = 0; n < 5; n++) {
      expect((await slack.say({ text: `event ${n}` })).answer).toBe("acknowledged");
      expect(await visitor.upload("notes.txt", "words")).toMatchObject({ name: "notes.txt" });
      expect(await operator()).toBe(400);
    }
    await Promise.all(closed);
    // The timeout of whole requests would abort them as well, but later.
    expect(watch.undelayedMs()).toBeLessThan(15_000);
    watch.stop();
    expect(new Set(answers)).toEqual(new Set(["408"]));
    expect(answers).toHaveLength(ANNOUNCED);
  });
});
