import { afterEach, describe, expect, it } from "vitest";
import { roles } from "../core/subtasks/delegating.ts";
import { calls } from "../fakes/scripted-model.ts";
import { isAnswer, LinkedProduct, lobby, privateRoom } from "./linked-product.ts";

let product: LinkedProduct;
afterEach(() => product.dispose());

const web = privateRoom("web", "ann");
const webB = privateRoom("web-b", "ann");
const bob = privateRoom("web-b", "bob");

const start = async (deliverTo?: string, when = "in 1 s") => {
  const task = {
    description: "Stretch",
    prompt: "tell Ann to stretch",
    when,
    ...(deliverTo && { deliverTo }),
  };
  product = await LinkedProduct.start(
    roles({
      primary: ({ text, outputs }) => {
        if (text.startsWith("Scheduled task")) return "time to stretch";
        if (outputs.length > 0) return outputs.join();
        if (text.endsWith("list")) return calls({ name: "list_schedules", input: {} });
        return text === "later" ? calls({ name: "schedule_task", input: task }) : "fine";
      },
    }),
  );
  await product.link(["web", "ann"], ["web-b", "ann"]);
  await product.ask(webB, "hello from b");
  await product.ask(bob, "hello", { account: { id: "bob", name: "Bob" } });
};

describe("given a schedule of a linked person", () => {
  it("when it fires, then each of the person's conversations shows it once, with the schedule's anchor, and no other does (O5, D2)", async () => {
    await start();
    await product.ask(web, "later");
    const [here, there] = await Promise.all([product.shown(web, isAnswer), product.shown(webB, isAnswer)]);
    for (const { anchor, reply } of [here, there]) {
      expect(reply.markdown).toBe("time to stretch");
      expect(anchor).toMatchObject({ channel: "scheduled", summary: "Stretch" });
      expect(anchor?.text).toMatch(/^scheduled · Stretch · just now\nasked for \d\d:\d\d from Web · just now$/);
    }
    expect([product.answers(web), product.answers(webB)].map(({ length }) => length)).toEqual([1, 1]);
    expect(product.answers(bob)).toEqual([]);
  });

  it("when the person asks why, then the answer has its title once, and its prompt (O13)", async () => {
    await start();
    await product.ask(web, "later");
    await product.shown(web, isAnswer);
    const explained = async () => (await product.command(web, "why")).part.markdown;
    await expect.poll(explained).toContain("Web (where it began)");
    expect((await explained()).split("\n").slice(0, 2)).toEqual([
      expect.stringMatching(
        /^\*\*What it is about:\*\* “Stretch”, on a schedule, .* It says: “tell Ann to stretch”\.$/,
      ),
      "**Why now:** it was due.",
    ]);
  });

  it("when the product restarts before the due time, then it still fires, once", async () => {
    await start();
    await product.ask(web, "later");
    await product.restart();
    await product.shown(webB, isAnswer);
    await product.shown(web, isAnswer);
    expect(product.answers(webB)).toHaveLength(1);
  });

  it("when its target is another channel of the person, then it goes there; a target of another person is refused (P2)", async () => {
    await start("web-b");
    await product.ask(web, "later");
    expect((await product.shown(webB, isAnswer)).reply.audience.conversation).toEqual(webB);
    await product.dispose();
    await start("elsewhere");
    expect((await product.ask(web, "later")).reply.markdown).toContain("Possible: here, web-b, web");
  });

  it("when its target account no longer belongs to the person, then it goes to the person, not to the new owner (D3)", async () => {
    await start("web-b");
    await product.ask(web, "later");
    await product.unlink(["web", "ann"], ["web-b", "ann"]);
    expect((await product.shown(web, isAnswer)).reply.markdown).toBe("time to stretch");
    expect(product.answers(webB)).toEqual([]);
  });

  it("when it was created in private, then a room does not get it; the person does (D3)", async () => {
    await start(undefined, "in 1 h");
    await product.ask(web, "later");
    expect((await product.ask(lobby("web"), "list")).reply.markdown).toBe("There are no schedules.");
    expect((await product.ask(web, "list")).reply.markdown).toContain("Stretch");
  });
});
