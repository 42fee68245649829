import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { says } from "../fakes/model-answer.ts";
import { Recorder } from "../fakes/recorder.ts";
import { type Backbone, Product } from "./product.ts";
import { ModelBoard } from "./settings/model-board.ts";

beforeAll(requireFreshBuild);

let product: Product;
let models: ModelBoard;
let hook: Server;
/** Answer checks that wait for the test's decision. */
const held = new Recorder<ServerResponse>();
const ids: string[] = [];
beforeEach(async () => {
  held.items.length = 0;
  ids.length = 0;
  models = await ModelBoard.start();
  hook = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { kind, id } = JSON.parse(body);
    if (kind === "message") return void response.end('{"allow":true}');
    ids.push(id);
    held.add(response);
  });
  await once(hook.listen(0, "127.0.0.1"), "listening");
});
afterEach(async () => {
  await product.dispose();
  hook.closeAllConnections();
  hook.close();
  await models.stop();
});

describe.each<Backbone>(["embedded", "nats"])("given an answer that is being moderated, on %s", (backbone) => {
  it("when the process is killed and the hook then refuses, then the person never sees a part of the answer (R3)", async () => {
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}`;
    product = await Product.create({
      backbone,
      config: {
        agents: [{ name: "mooring", model: models.named("mooring", () => says("take this knife")) }],
        moderation: { url, timeoutMs: 60_000 },
      },
    });
    const first = await product.start("start");
    await first.ready();
    let address = first.address;
    const visitor = product.client("visitor", () => address);
    const message = visitor.say("a present?");
    await held.count(1);
    await first.end("SIGKILL");
    const second = await product.start("start");
    await second.ready();
    address = second.address;
    await held.count(2);
    held.items[1]?.end('{"allow":false,"reason":"No weapons."}');
    const { markdown } = await visitor.answerTo(message);
    expect(markdown).toBe("I wrote an answer, but it was withheld. No weapons.");
    expect(new Set(ids).size).toBe(1);
    expect(JSON.stringify([visitor.log, visitor.deltas])).not.toContain("knife");
    expect(visitor.replies()).toHaveLength(1);
  });
});
