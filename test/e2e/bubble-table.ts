import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Gate } from "../fakes/model-answer.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { type LogItem, WebClient } from "../fakes/web-client.ts";
import { BubbleModels, TOPICS } from "./bubble-models.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";

type Frame = readonly [kind: string, markdown: string | undefined, correlationId: string | undefined];

/** Every row of the table of part 2, with the scripted model, at the widget's socket, counted in frames (B). */
export const bubbleTable = (backbone: "embedded" | "nats"): void => {
  const models = new BubbleModels();
  let nats: NatsServer | undefined;
  let deployment: Deployment;
  let address: string;
  let client: WebClient;
  let visitors = 0;
  beforeAll(async () => {
    await requireFreshBuild();
    if (backbone === "nats") nats = await NatsServer.start();
    deployment = await Deployment.create(
      plainConfig({
        backbone: nats ? { nats: { servers: [nats.url], leaseMs: 1_000, partitions: 4 } } : "embedded",
        tenants: { default: { a2aAsync: true } },
        agents: await models.start(),
        channels: { web: { adapter: "web", agent: "mooring" } },
      }),
    );
    const parts = nats ? ["gateway", "core", "core"] : ["start"];
    [address = ""] = await Promise.all(parts.map((part) => deployment.run(part).running));
  });
  afterAll(async () => {
    await deployment.dispose();
    await models.stop();
    await nats?.stop();
  });
  beforeEach(() => {
    models.gate = new Gate();
    client = deployment.with(new WebClient(`visitor-${++visitors}`, () => address));
  });

  const entries = (): LogItem[] => client.log.filter(({ activity }) => activity !== undefined);
  const unasked = (): LogItem[] =>
    client.replies().filter(({ kind, correlationId }) => kind === "final" && correlationId === undefined);

  /** Sends a message, and releases the held models once the activity entry is shown. Resolves to the message's id. */
  const delegate = async (text: string): Promise<string> => {
    const asked = client.say(text);
    await client.until(() => entries().length > 0, "the activity entry");
    models.gate.release();
    await client.until(() => entries().at(-1)?.kind === "completion" && unasked().length > 0, "the answer");
    return asked;
  };
  /** All frames except those of the activity entry, once a later message is answered. */
  const frames = async (): Promise<Frame[]> => {
    const last = client.say("hello");
    await client.answerTo(last);
    const shown = client.log
      .filter(({ activity }) => activity === undefined)
      .map(({ kind, type, markdown, correlationId }): Frame => [kind ?? type, markdown, correlationId]);
    expect(shown.slice(-2)).toEqual([SAID, ["final", "re hello", last]]);
    return shown.slice(0, -2);
  };
  const SAID: Frame = ["said", undefined, undefined];
  const expectOneEntry = (): void => {
    const [first, ...rest] = entries();
    expect(first).toMatchObject({ type: "reply" });
    expect(rest.every(({ type, id }) => type === "edit" && id === first?.id)).toBe(true);
    expect(entries().filter(({ kind }) => kind === "completion")).toHaveLength(1);
    expect(client.log.map(({ seq }) => seq)).toEqual(client.log.map((_, index) => index + 1));
  };

  describe(`given a person at the widget's socket, on ${backbone}, counted in frames (B)`, () => {
    it("when a turn has no subtasks, then there is one final", async () => {
      const asked = client.say("good morning");
      await client.answerTo(asked);
      expect(await frames()).toEqual([SAID, ["final", "re good morning", asked]]);
      expect(entries()).toEqual([]);
    });

    it("when a turn delegates to subtasks, then there are an announcement, one entry and one answer", async () => {
      const asked = await delegate("research");
      expect(await frames()).toEqual([
        SAID,
        ["final", "I am on it.", asked],
        ["final", "In short: all about ropes", undefined],
      ]);
      expectOneEntry();
      expect(
        entries()
          .at(-1)
          ?.activity?.items.map(({ name, state }) => `${name} ${state}`),
      ).toEqual(TOPICS.map((topic) => `${topic} completed`));
      expect(unasked()[0]).not.toHaveProperty("anchor");
    });

    it("when a turn delegates to a peer, then there are an announcement, one entry and one final, and why names every hop (O13)", async () => {
      const asked = await delegate("delegate the tide");
      expect(await frames()).toEqual([
        SAID,
        ["final", "I am on it.", asked],
        ["final", "In short: harbour: pilots: tide?", undefined],
      ]);
      expectOneEntry();
      const { markdown: why = "" } = await client.answerTo(client.command("why", unasked()[0]?.id));
      expect(why).toContain("another agent had answered");
      expect(why).toContain("- Asking harbour: the tide: answered\n  - Asking pilots: tide?: answered");
    });

    it("when a subtask calls a peer, then only the one answer shows it (S10)", async () => {
      const asked = await delegate("research the tide");
      expect(await frames()).toEqual([
        SAID,
        ["final", "I am on it.", asked],
        ["final", "In short: I was told: harbour: pilots: tide?", undefined],
      ]);
      expectOneEntry();
    });

    it("when a turn waits for a subtask or a peer itself, then its own text is the one final (B2)", async () => {
      const [waited, consulted] = [client.say("wait"), client.say("consult the depth")];
      await client.answerTo(consulted);
      const all = await frames();
      expect(all.filter(([kind]) => kind === "final")).toEqual([
        ["final", "They say so.", waited],
        ["final", "harbour: the depth", consulted],
      ]);
    });

    it("when a turn ends without an answer, then the wait ends, and no bubble is shown (B7)", async () => {
      const asked = client.say("nothing");
      expect(await client.answerTo(asked)).toMatchObject({ kind: "final", outcome: "nothing", markdown: "" });
      expect(await frames()).toEqual([SAID, ["final", "", asked]]);
    });
  });

  describe(`given a schedule's run, on ${backbone}, counted in frames (B)`, () => {
    /** All frames except those of the turn that created the schedule, which may end before or after the run. */
    const ofRun = async (asked: string): Promise<Frame[]> => {
      await client.answerTo(asked);
      const [said, ...rest] = await frames();
      expect([said, ...rest.filter(([, , id]) => id === asked)]).toEqual([SAID, ["final", "It runs.", asked]]);
      return rest.filter(([, , id]) => id !== asked);
    };

    it("when it delegates nothing, then there is one final, anchored (O5)", async () => {
      const asked = client.say("schedule brief");
      await client.until(() => unasked().length > 0, "the brief");
      expect(await ofRun(asked)).toEqual([["final", "re brief", undefined]]);
      expect(unasked()[0]).toMatchObject({ anchor: { channel: "scheduled", summary: "Morning brief" } });
    });

    it("when it delegates, then there are one entry and one answer, and no announcement", async () => {
      const asked = await delegate("schedule research");
      expect(await ofRun(asked)).toEqual([["final", "In short: all about ropes", undefined]]);
      expect(unasked()[0]).toMatchObject({ anchor: { channel: "scheduled", summary: "Morning brief" } });
      expectOneEntry();
    });

    it("when it ends without an answer, then nothing is shown (B7)", async () => {
      const asked = client.say("schedule nothing");
      await models.runAsked("nothing");
      expect(await ofRun(asked)).toEqual([]);
    });
  });
};
