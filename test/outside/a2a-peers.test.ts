import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { SdkAgent, TaskState } from "../fakes/a2a/sdk-agent.ts";
import { calls, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { Recorder } from "../fakes/recorder.ts";
import { freePort } from "../setup/free-port.ts";
import { timed } from "../setup/stopwatch.ts";
import { type Backbone, Product, type StartedProcess } from "./product.ts";
import { ModelBoard } from "./settings/model-board.ts";

beforeAll(requireFreshBuild);

const DEADLINE_MS = 3_000;

/** Calls the peer that the person names, and returns the result of the tool; a question goes to the person. */
const asking = ({ lastUserText, toolOutputs, body }: ModelRequest): ModelAnswer => {
  const [, agent, task] = /^(?:ask|answer) (\S+)/.exec(lastUserText)
    ? [undefined, lastUserText.split(" ")[1], taskIn(JSON.stringify(body.messages))]
    : [];
  if (agent === undefined) return says(`Unsolicited: ${lastUserText}`);
  if (toolOutputs.length > 0) return says(`Heard: ${toolOutputs.join(" ")}`);
  const isAnswer = lastUserText.startsWith("answer") && task !== undefined;
  const input = { agent, message: isAnswer ? "Bergen" : "How is it?", ...(isAnswer && { task }) };
  return calls([{ name: "send_message_to_agent", arguments: input }]);
};
const taskIn = (text: string): string | undefined => /task \\+"(call-[0-9a-f]{12})/.exec(text)?.[1];

describe.each<Backbone>(["embedded", "nats"])("given peers elsewhere, on the %s backbone", (backbone) => {
  const polled = new Recorder<string>();
  const agents: SdkAgent[] = [];
  let models: ModelBoard;
  let product: Product;
  let mooring: StartedProcess;
  let canary: SdkAgent;
  let visitors = 0;

  beforeAll(async () => {
    models = await ModelBoard.start();
    canary = await SdkAgent.start((work) => work.answer("gotcha"));
    const depth = await SdkAgent.start((work) => {
      work.chunk("1");
      work.chunk("2", { append: true });
      work.chunk(".5 m", { append: true, lastChunk: true });
      work.status(TaskState.TASK_STATE_COMPLETED);
    });
    const quay = await SdkAgent.start(
      (work) =>
        work.round === 1
          ? work.status(TaskState.TASK_STATE_INPUT_REQUIRED, "which harbour?")
          : work.answer(`in ${work.text}: three`),
      {
        intercept: (_request, _response, body) => {
          if (body.includes('"GetTask"')) polled.add("GetTask");
          return false;
        },
      },
    );
    const moved = await SdkAgent.start(() => undefined, {
      intercept: (request, response) => {
        response.writeHead(308, { location: `${canary.url}${request.url}` }).end();
        return true;
      },
    });
    const hangs = await SdkAgent.start(() => undefined, { intercept: () => true });
    const inner = await SdkAgent.start(() => undefined, { cardUrl: "http://10.0.0.7:8080" });
    agents.push(canary, depth, quay, moved, hangs, inner);
    const peers = {
      depth: { url: depth.url },
      quay: { url: quay.url },
      moved: { url: moved.url },
      inner: { url: inner.url },
      hangs: { url: hangs.url, deadlineMs: DEADLINE_MS },
      closed: { url: `http://127.0.0.1:${await freePort()}`, unreachableMs: 3_000 },
    };
    product = await Product.create({
      backbone,
      config: {
        agents: [
          {
            name: "mooring",
            model: models.named("mooring", asking),
            peers: Object.keys(peers),
            rights: { anonymous: ["default", "peers"] },
          },
        ],
        a2a: { peers },
      },
    });
    mooring = await product.start("start");
    await mooring.ready();
  });
  afterAll(async () => {
    await product?.dispose();
    await models?.stop();
    await Promise.all(agents.map((agent) => agent.stop()));
  });

  const ask = async (peer: string) => {
    const visitor = product.client(`visitor-${++visitors}`, () => mooring.address);
    const { result, ms, undelayedMs } = await timed(() => visitor.answerTo(visitor.say(`ask ${peer}`)));
    return { visitor, markdown: result.markdown ?? "", tookMs: ms, undelayedMs };
  };
  const logged = () => mooring.stdout() + mooring.stderr();
  const INTERNALS = /https?:|\d+\.\d+\.\d+\.\d+|ECONN|HTTP \d|a2a\.peers|fetch failed/;

  it("when one streams its answer in chunks, then people read it as it was sent (A9)", async () => {
    expect((await ask("depth")).markdown).toContain("12.5 m");
  });

  it.each(["moved", "inner"])(
    "when %s redirects us, then the call fails at once, in plain words (F26)",
    async (peer) => {
      const { markdown, undelayedMs } = await ask(peer);
      expect(markdown).toContain(`Could not reach the agent ${peer}.`);
      expect(markdown).not.toMatch(INTERNALS);
      expect(undelayedMs).toBeLessThan(10_000);
      expect(canary.requests).toEqual([]);
      expect(logged()).toContain(
        peer === "moved" ? "(HTTP 308), which is not followed" : "its card points to http://10.0.0.7",
      );
    },
  );

  it("when one is closed, then people see that it is retried, and soon that it is unreachable", async () => {
    const { visitor, markdown, undelayedMs } = await ask("closed");
    expect(markdown).toContain("Could not reach the agent closed.");
    expect(markdown).not.toMatch(INTERNALS);
    expect(undelayedMs).toBeLessThan(20_000);
    const shown = visitor.log.flatMap(({ activity }) => activity?.items ?? []);
    const note = expect.stringMatching(/^unreachable, retrying since \d\d:\d\d UTC$/);
    expect(shown).toContainEqual(expect.objectContaining({ state: "pending", note }));
    expect(logged()).toContain("ECONNREFUSED");
  });

  it("when one hangs, then people get a notice at its deadline", async () => {
    const { markdown, tookMs, undelayedMs } = await ask("hangs");
    expect(markdown).toContain("There is no answer from hangs");
    expect(tookMs).toBeGreaterThanOrEqual(DEADLINE_MS);
    expect(undelayedMs).toBeLessThan(DEADLINE_MS + 2_000);
  });

  it("when one asks back, then the question is reported once, also after a restart, and its answer continues (A9)", async () => {
    const { visitor, markdown } = await ask("quay");
    expect(markdown).toContain("quay wants to know: which harbour?");
    const before = polled.items.length;
    await polled.until((items) => items.length > before);
    await mooring.end();
    mooring = await product.start("start");
    await mooring.ready();
    const after = polled.items.length;
    await polled.until((items) => items.length > after);
    await visitor.answerTo(visitor.say("answer quay"));
    const finals = () => visitor.replies().filter(({ kind }) => kind === "final");
    await visitor.until(() => finals().length >= 3, "the answer of the peer");
    expect(finals().map((reply) => reply.markdown?.slice(0, 30))).toEqual([
      expect.stringContaining("Heard: You asked quay"),
      expect.stringContaining("Heard: quay has not answered"),
      expect.stringContaining("Unsolicited: [answer of"),
    ]);
    expect(finals()[2]?.markdown).toContain("in Bergen: three");
  });
});
