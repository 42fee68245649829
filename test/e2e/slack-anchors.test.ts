import { beforeAll, describe, expect, it } from "vitest";
import { calls, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { linkInSlack } from "./link-in-slack.ts";
import { requireFreshBuild } from "./mooring-process.ts";
import { SlackRig } from "./slack-rig.ts";

beforeAll(requireFreshBuild);

/** Delegates when it is asked to research, and recognises its role by its prompt. */
const answer = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
  if (toolNames.includes("complete_subtask")) return says(`all about ${lastUserText}`);
  if (lastUserText.startsWith("[")) return says("Here is everything, in short.");
  if (!lastUserText.includes("research")) return says("A plain answer.");
  if (toolOutputs.length > 0) return says("I am on it.");
  const tasks = ["tides", "knots"].map((name) => ({ name, prompt: name }));
  return calls([{ name: "spawn_parallel_subtasks", arguments: { tasks, blocking: false } }]);
};

const rig = new SlackRig(answer);
const RESULT = "Here is everything";
const posts = (room: string, thread: string) =>
  rig.slack.posted.filter((post) => post.room === room && post.thread === thread);
const anchorOf = (post: { blocks: readonly { type: string }[] } | undefined): string =>
  JSON.stringify(post?.blocks.filter(({ type }) => type === "context") ?? []);

describe.each(["embedded", "nats"] as const)(
  "given Mooring on %s, and a person in Slack and in the widget",
  (backbone) => {
    it("when they delegate in one, then both show the answer, the other one with an anchor (O8, O10, D2)", async () => {
      const { visitor } = await rig.run(backbone, "socket");
      const { slack } = rig;
      const web = visitor("ann");
      await slack.sockets.greeted.count(1);
      const thread = slack.world.nextTs();
      await linkInSlack(slack, web, thread);

      const ts = slack.world.nextTs();
      const room = "C0LOBBY";
      await slack.say({ room, text: "<@U0BOT> research tides and knots", ts, as: "app_mention" });
      const inWidget = () => web.replies().filter(({ markdown }) => markdown?.startsWith(RESULT));
      await web.until(() => inWidget().length > 0, "the answer in the widget");
      expect(inWidget()[0]?.anchor).toMatchObject({
        channel: "slack",
        summary: expect.stringContaining("research tides and knots"),
        link: `https://mooring.slack.com/archives/${room}/p${ts.replace(".", "")}`,
        text: expect.stringContaining("from Slack"),
      });
      const isThere = (where: string, at: string) => posts(where, at).some(({ text }) => text.includes(RESULT));
      await slack.until(() => isThere(room, ts) && isThere("D0ANN", thread));
      const inRoom = posts(room, ts).filter(({ text }) => text.startsWith(RESULT));
      expect(inRoom.map(anchorOf)).toEqual(["[]"]);

      const before = posts("D0ANN", thread).length;
      web.say("research tides and knots again");
      await slack.until(() => posts("D0ANN", thread).length > before);
      const late = posts("D0ANN", thread).at(-1);
      expect(late?.text).toContain(RESULT);
      expect(anchorOf(late)).toMatch(/research tides and knots again.*<!date\^\d+\^.*from Web/);
      await web.until(() => inWidget().length >= 2, "the second answer in the widget");
      expect(inWidget().map(({ anchor }) => anchor?.summary)).toEqual([expect.any(String), undefined]);
      if (late === undefined) throw new Error("nothing came");
      await slack.press(late, "Why?");
      await slack.until(() => posts("D0ANN", thread).at(-1)?.text.includes("research tides and knots again") ?? false);
    });
  },
);
