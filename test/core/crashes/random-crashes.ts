import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { calls, fails, hangsUp, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { userMessage } from "../core-under-test.ts";
import type { DataOptions } from "./backbone-data.ts";
import { CrashingCore } from "./crashing-core.ts";

const CHECKPOINTS = [
  "intake.received",
  // On NATS only, in a conversation in the cache of the process.
  "turn.assumed",
  "turn.opened",
  "model.before",
  "model.after",
  "model.journaled",
  "tool.before",
  "tool.intent",
  "tool.inside",
  "tool.after",
  "tool.result",
  "reply.before",
  "reply.published",
];
const CONVERSATIONS: Conversation[] = [0, 1, 2].map((n) => ({ channel: "web", room: `random-${n}`, kind: "private" }));

type Event =
  | { do: "say"; to: number; what: "plain" | "work" | "look" | "stumble" | "fail" | "new" }
  | { do: "crash"; at: string; nth: number }
  | { do: "kill" };

const anEvent: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      to: fc.nat(CONVERSATIONS.length - 1),
      what: fc.constantFrom("plain", "work", "look", "stumble", "fail", "new"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("crash" as const),
      at: fc.constantFrom(...CHECKPOINTS),
      nth: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "kill" as const }) },
);

/** Fewer than the attempts after which a message is a dead letter: a crash interrupts all messages in progress. */
const MAX_CRASHES = 3;
const someEvents = fc
  .array(anEvent, { minLength: 8, maxLength: 16 })
  .filter((events) => events.filter((event) => event.do !== "say").length <= MAX_CRASHES);

/** The first word of the message selects the behaviour of the model. */
const modelScript = () => {
  const asked = new Map<string, number>();
  return ({ lastUserText, toolOutputs }: ModelRequest) => {
    const times = (asked.get(lastUserText) ?? 0) + 1;
    asked.set(lastUserText, times);
    const what = lastUserText.split(" ")[0] ?? "";
    if (what === "fail") return fails(401);
    if (what === "stumble" && times < 3) return times === 1 ? fails(503) : hangsUp();
    if ((what === "work" || what === "look") && toolOutputs.length === 0) return calls([{ name: what, arguments: {} }]);
    return says(`re ${lastUserText}`);
  };
};

/** Random messages, sessions, crashes and model faults lead to one answer per message, in order per conversation. */
export const randomCrashes = (kind: DataOptions["kind"]): void => {
  const runs = propertyRuns(3);
  describe(`given a core on ${kind} with random crashes and model faults`, () => {
    let core: CrashingCore;
    let rounds = 0;
    beforeAll(async () => {
      core = await CrashingCore.deploy(kind, modelScript());
    });
    afterAll(() => core.dispose());

    const play = async (events: readonly Event[]): Promise<string[][]> => {
      const round = ++rounds;
      const sent: string[][] = CONVERSATIONS.map(() => []);
      for (const [index, event] of events.entries()) {
        if (event.do === "kill") await (await core.running()).kill();
        if (event.do === "crash") await (await core.running()).crashAt(event.at, event.nth).catch(() => undefined);
        if (event.do !== "say") continue;
        const id = `${round}-${index}`;
        const command = event.what === "new" ? { command: { name: "new", args: "" } } : {};
        const conversation = CONVERSATIONS[event.to] as Conversation;
        await core.receive(userMessage(id, `${event.what} ${id}`, { conversation, ...command }));
        sent[event.to]?.push(id);
      }
      return sent;
    };

    /** Restarts the core after each crash until every message is answered. */
    const untilAnswered = async (ids: readonly string[]): Promise<void> => {
      const answered = Promise.all(ids.map((id) => core.receivedReplyTo(id))).then(() => true);
      for (let over = false; !over; )
        over = await Promise.race([answered, (await core.running()).exited.then(() => false)]);
    };

    it("when the events have happened, then every message has exactly one answer, in order", {
      timeout: 60_000 + 40_000 * runs.numRuns,
    }, async () => {
      const property = fc.asyncProperty(someEvents, async (events) => {
        const sent = await play(events);
        await untilAnswered(sent.flat());
        const published = await core.publishedReplies(CONVERSATIONS);
        const ofThisRound = published.filter(({ correlationId }) => correlationId?.startsWith(`${rounds}-`));
        const answered = CONVERSATIONS.map(({ room }) =>
          ofThisRound.flatMap(({ audience, correlationId }) =>
            audience.conversation.room === room ? [correlationId] : [],
          ),
        );
        expect(answered).toEqual(sent);
      });
      await fc.assert(property, runs);
    });
  });
};
