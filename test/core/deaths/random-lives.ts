import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { calls, fails, hangsUp, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { userMessage } from "../core-under-test.ts";
import type { PlaceOptions } from "./backbone-place.ts";
import { MortalCore } from "./mortal-core.ts";

const CHECKPOINTS = [
  "intake.received",
  // On NATS only, in a conversation that the process knows.
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
  | { do: "die"; at: string; nth: number }
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
      do: fc.constant("die" as const),
      at: fc.constantFrom(...CHECKPOINTS),
      nth: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "kill" as const }) },
);

/** Fewer than the runs after which a message is given up: a death takes all messages under way with it. */
const MOST_DEATHS = 3;
const aLife = fc
  .array(anEvent, { minLength: 8, maxLength: 16 })
  .filter((events) => events.filter((event) => event.do !== "say").length <= MOST_DEATHS);

/** What the model does is in the first word of the message. */
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

/** Random messages, sessions, deaths and model faults: one answer for each message, in order in each conversation. */
export const randomLives = (kind: PlaceOptions["kind"]): void => {
  const runs = propertyRuns(3);
  describe(`given a core on ${kind} with a hard life`, () => {
    let core: MortalCore;
    let lives = 0;
    beforeAll(async () => {
      core = await MortalCore.deploy(kind, modelScript());
    });
    afterAll(() => core.dispose());

    const live = async (events: readonly Event[]): Promise<string[][]> => {
      const life = ++lives;
      const sent: string[][] = CONVERSATIONS.map(() => []);
      for (const [index, event] of events.entries()) {
        if (event.do === "kill") await (await core.alive()).kill();
        if (event.do === "die") await (await core.alive()).dieAt(event.at, event.nth).catch(() => undefined);
        if (event.do !== "say") continue;
        const id = `${life}-${index}`;
        const command = event.what === "new" ? { command: { name: "new", args: "" } } : {};
        const conversation = CONVERSATIONS[event.to] as Conversation;
        await core.receive(userMessage(id, `${event.what} ${id}`, { conversation, ...command }));
        sent[event.to]?.push(id);
      }
      return sent;
    };

    /** Whenever it dies before everything is answered, another one is started. */
    const untilAnswered = async (ids: readonly string[]): Promise<void> => {
      const answered = Promise.all(ids.map((id) => core.heardReplyTo(id))).then(() => true);
      for (let over = false; !over; )
        over = await Promise.race([answered, (await core.alive()).exited.then(() => false)]);
    };

    it("when everything happens, then every message has exactly one answer, in order", {
      timeout: 60_000 + 40_000 * runs.numRuns,
    }, async () => {
      const property = fc.asyncProperty(aLife, async (events) => {
        const sent = await live(events);
        await untilAnswered(sent.flat());
        const published = await core.publishedReplies(CONVERSATIONS);
        const ofThisLife = published.filter(({ correlationId }) => correlationId?.startsWith(`${lives}-`));
        const answered = CONVERSATIONS.map(({ room }) =>
          ofThisLife.flatMap(({ audience, correlationId }) =>
            audience.conversation.room === room ? [correlationId] : [],
          ),
        );
        expect(answered).toEqual(sent);
      });
      await fc.assert(property, runs);
    });
  });
};
