import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { SdkAgent, TaskState } from "../fakes/a2a/sdk-agent.ts";
import { calls, Gate, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { type Backbone, Product } from "./product.ts";
import { ModelBoard } from "./settings/model-board.ts";

beforeAll(requireFreshBuild);

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** Does what the person names; an answer of a model that "works" never comes. */
const primary = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
  if (toolNames.includes("complete_subtask") || lastUserText === "think") return says([new Gate(), "too late"]);
  if (toolOutputs.length > 0) return says("On it.");
  const [, peer] = /^ask (\w+)$/.exec(lastUserText) ?? [];
  const to = { agent: peer, message: "count the boats", msg_type: "task_delegate" };
  if (peer !== undefined) return calls([{ name: "send_message_to_agent", arguments: to }]);
  if (lastUserText !== "research") return says(`You said: ${lastUserText}`);
  return calls([{ name: "spawn_subtask", arguments: { name: "tides", prompt: "look" } }]);
};
const works = (): ModelAnswer => says([new Gate(), "too late"]);

describe.each<Backbone>(["embedded", "nats"])(
  "given an answer, subtasks and calls to other agents, on %s",
  (backbone) => {
    it("when their person cancels everything, then each is stopped where it runs, also at a remote agent, and none of their results follows (I3)", async () => {
      const models = await ModelBoard.start();
      cleanUp.push(() => models.stop());
      const remote = await SdkAgent.start(async (work) => {
        work.status(TaskState.TASK_STATE_WORKING, "counting");
        await new Promise(() => undefined);
      });
      cleanUp.push(() => remote.stop());
      const rights = { anonymous: ["default", "peers"] };
      const product = await Product.create({
        backbone,
        config: {
          tenants: { default: { a2aAsync: true } },
          agents: [
            { name: "mooring", model: models.named("primary", primary), peers: ["harbour", "depth"], rights },
            { name: "harbour", model: models.named("peer", works), peers: ["mooring"], rights },
          ],
          channels: { web: { adapter: "web", agent: "mooring" } },
          a2a: { peers: { depth: { url: remote.url } } },
        },
      });
      cleanUp.push(() => product.dispose());
      if (backbone === "nats") await (await product.start("core")).ready();
      const mooring = await product.start(backbone === "nats" ? "gateway" : "start");
      await mooring.ready();
      const [ann, bob] = [product.client("ann", mooring.address), product.client("bob", mooring.address)];

      for (const text of ["research", "ask harbour", "ask depth"]) await ann.answerTo(ann.say(text));
      const running = () => models.requests("primary").find(({ toolNames }) => toolNames.includes("complete_subtask"));
      await expect.poll(running).toBeDefined();
      const [atPeer] = await models.asked("peer");
      await expect.poll(() => remote.received.length).toBeGreaterThan(0);
      const thinking = ann.say("think");
      await expect
        .poll(() => models.requests("primary").some(({ lastUserText }) => lastUserText === "think"))
        .toBe(true);

      // Another person ends nothing of it.
      const all = async (client: typeof ann) => (await client.answerTo(client.command("cancel", "all"))).markdown;
      expect(await all(bob)).toContain("I am not working on anything for you.");
      expect(await all(ann)).toContain("I ended 1 answer, 1 piece of work, 2 calls to other agents.");

      expect(await running()?.closed).toBe("client-left");
      expect(await atPeer.closed).toBe("client-left");
      await remote.cancelled.count(1);
      await ann.answerTo(thinking);
      // The batch of the cancelled subtask may still be summarised.
      const status = async () => (await ann.answerTo(ann.command("status"))).markdown;
      await expect.poll(status).toContain("I am not working on anything for you");
      expect((await ann.answerTo(ann.say("hello"))).markdown).toBe("You said: hello");
      const finals = ann.replies().filter(({ kind, correlationId }) => kind === "final" && correlationId === undefined);
      expect(finals.map(({ markdown }) => markdown)).not.toContain("too late");
      expect(models.requests("peer")).toHaveLength(1);
    });
  },
);
