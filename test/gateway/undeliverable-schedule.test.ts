import { afterEach, describe, expect, it } from "vitest";
import type { Delivery } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import { undeliveredOn } from "../../core/delivery/undelivered/undelivered.ts";
import { roles } from "../core/subtasks/delegating.ts";
import { LogChannel } from "../fakes/log-channel.ts";
import { calls } from "../fakes/scripted-model.ts";
import { isAnswer, LinkedProduct, lobby, privateRoom } from "./linked-product.ts";

let product: LinkedProduct;
afterEach(() => product.dispose());

const web = privateRoom("web", "ann");
const webB = privateRoom("web-b", "ann");
const home = { home: { conversation: lobby("web") } };

/** Ann has accounts on both channels; the results of her schedules go to the second one, which has its own platform. */
const start = async (): Promise<string> => {
  product = await LinkedProduct.start(
    roles({
      primary: ({ text, outputs }) => {
        if (text.startsWith("Scheduled task")) return "time to stretch";
        if (outputs.length > 0) return outputs.join();
        const task = { description: "Stretch", prompt: "tell Ann to stretch", when: "in 1 h", deliverTo: "web-b" };
        return text === "later" ? calls({ name: "schedule_task", input: task }) : "fine";
      },
    }),
  );
  product.channels["web-b"] = new LogChannel("web-b", { connection: "shared", resend: "idempotent" });
  product.rules = () => home;
  await product.restart();
  await product.link(["web", "ann"], ["web-b", "ann"]);
  await product.ask(webB, "hello from b");
  const { reply } = await product.ask(web, "later");
  return /schedule-[0-9a-f]{8}/.exec(reply.markdown)?.[0] ?? "";
};
const run = (id: string) => product.command(web, "schedules", `run ${id}`);
const refuse = (channel: "web" | "web-b", isIt: (delivery: Delivery) => boolean) => {
  product.channels[channel].before = async (delivery) => {
    if (isIt(delivery)) throw new DeliveryFailed("target-gone", "the room was deleted");
  };
};
const isReport = ({ reply }: Delivery) => reply.markdown.startsWith("The result of");
const reports = ({ channel, room }: Conversation) =>
  product.channels[channel as "web" | "web-b"].deliveries.items
    .filter((delivery) => delivery.target.room === room && isReport(delivery))
    .map(({ reply }) => reply.markdown);
const untilUndelivered = async (count: number) => {
  for (let found = 0; found < count; ) {
    found = 0;
    for await (const _ of product.backbone.store.list(undeliveredOn("default", "web-b"))) found++;
    await new Promise(setImmediate);
  }
};

describe("given a schedule whose target is unreachable when it fires (P2)", () => {
  it("when the platform refuses it permanently, then its person gets the reason elsewhere, once for many runs", async () => {
    const id = await start();
    refuse("web-b", isAnswer);
    await run(id);
    const { reply } = await product.shown(web, isReport);
    expect(reply.markdown).toBe(
      "The result of the schedule “Stretch” could not be delivered on Web-b: the conversation no longer exists (the room was " +
        `deleted). \`/inbox\` has it. To cancel the schedule, use \`/schedules cancel ${id}\`.`,
    );
    await run(id);
    await untilUndelivered(2);
    expect((await product.command(web, "inbox")).reply.markdown).toContain("2. “time to stretch”");
    expect(reports(web)).toHaveLength(1);
    expect(reports(lobby("web"))).toEqual([]);
  });

  it("when the person is unreachable too, then the agent's home gets the report, without the content (D3)", async () => {
    const id = await start();
    refuse("web-b", isAnswer);
    refuse("web", (delivery) => isReport(delivery) && delivery.target.kind === "private");
    await run(id);
    const { reply } = await product.shown(lobby("web"), isReport);
    expect(reply.markdown).toContain(`The result of a person's schedule (${id}) could not be delivered on Web-b`);
    expect(reply.markdown).not.toContain("Stretch");
    expect(product.answers(lobby("web"))).toEqual([]);
  });

  it("when the channel's access rules exclude it by then, then that is the reason", async () => {
    const id = await start();
    product.rules = (channel) => ({ ...home, ...(channel === "web-b" && { access: { accounts: ["bob"] } }) });
    await product.restart();
    await run(id);
    expect((await product.shown(web, isReport)).reply.markdown).toContain("on Web-b: I no longer have access there.");
    expect(product.answers(webB)).toEqual([]);
  });

  it("when the channel is no longer configured, then the result goes to the person, with the reason", async () => {
    const id = await start();
    product.rules = () => ({ ...home, hasChannel: (channel) => channel === "web" });
    await product.restart();
    await run(id);
    expect((await product.shown(web, isAnswer)).reply.markdown).toBe("time to stretch");
    expect((await product.shown(web, isReport)).reply.markdown).toContain(
      "on Web-b: that channel no longer exists. I send it here instead.",
    );
  });

  it("when the account no longer belongs to the person, then the result goes to the person, with the reason (D3)", async () => {
    const id = await start();
    await product.unlink(["web", "ann"], ["web-b", "ann"]);
    await run(id);
    expect((await product.shown(web, isAnswer)).reply.markdown).toBe("time to stretch");
    expect((await product.shown(web, isReport)).reply.markdown).toContain("the account there is no longer yours");
    expect([product.answers(webB), reports(webB)]).toEqual([[], []]);
  });
});
