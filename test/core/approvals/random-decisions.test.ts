import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { At, linkUp } from "../people/linked-core.ts";
import { ApprovalsUnderTest, idOf, TOOL } from "./approvals-under-test.ts";

/** No other wait has this length. */
const EXPIRE_MS = 61_234;
/** The pause of a timer that is handled before the record of its request is stored. */
const RECORD_WAIT_MS = 200;
const isTimer = (ms: number) => ms <= EXPIRE_MS && ms >= EXPIRE_MS - RECORD_WAIT_MS;

const PRESSERS = ["ann", "ann in the room", "phone", "bob", "olga"] as const;
type Presser = (typeof PRESSERS)[number];

type Event =
  | { readonly do: "ask"; readonly place: "private" | "shared" }
  | { readonly do: "press"; readonly by: Presser; readonly label: "Approve" | "Deny"; readonly request: number }
  | { readonly do: "link" | "unlink" | "expire" };

const anEvent: fc.Arbitrary<Event> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("ask" as const), place: fc.constantFrom("private", "shared") }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("press" as const),
      by: fc.constantFrom(...PRESSERS),
      label: fc.constantFrom("Approve", "Deny"),
      request: fc.nat(3),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("link" as const, "unlink" as const, "expire" as const) }) },
);
const someEvents = fc
  .array(anEvent, { minLength: 6, maxLength: 14 })
  .map((events): Event[] => [{ do: "ask", place: "private" }, ...events]);

/** The independent model of one request. */
interface Waiting {
  readonly request: AgentReply;
  readonly isShared: boolean;
  /** The link that existed when the person asked; later ones do not count (D3). */
  readonly link: number | undefined;
  state: "pending" | "approved" | "denied" | "expired";
}

type Answer = "unknown" | "refused" | "decided" | "too late";

/** The rule in few words: who sees the request, who may decide it, and whether it still waits. */
const expectedAnswer = (one: Waiting, by: Presser, linkNow: number | undefined): Answer => {
  const isAsker = by === "ann" || by === "ann in the room" || (by === "phone" && one.link !== undefined);
  const isLinkedSince = one.link !== undefined && one.link === linkNow;
  const isInRoom = by !== "ann" && by !== "phone";
  const sees = isInRoom ? one.isShared : by === "ann" || isLinkedSince;
  if (!sees) return "unknown";
  if (by !== "olga" && !isAsker) return "refused";
  return one.state === "pending" ? "decided" : "too late";
};

const answerIn = (markdown: string): Answer | string => {
  if (markdown.includes("no such request here")) return "unknown";
  if (markdown.includes("you cannot decide this one")) return "refused";
  if (/^(Approved|Denied)\. /.test(markdown)) return "decided";
  return markdown.startsWith("Nothing to decide any more") ? "too late" : markdown;
};

/** One person with two accounts that may be linked, another member and an operator, in rooms of their own. */
class Course {
  readonly #approvals: ApprovalsUnderTest;
  readonly #name: string;
  readonly #ann: At;
  readonly #phone: At;
  readonly #room: Conversation;
  readonly #waiting: Waiting[] = [];
  #links = 0;
  #link: number | undefined;

  constructor(approvals: ApprovalsUnderTest, name: string) {
    this.#approvals = approvals;
    this.#name = name;
    this.#ann = new At(approvals.core, "web", `ann-${name}`);
    this.#phone = new At(approvals.core, "slack", `phone-${name}`);
    this.#room = { channel: "web", room: `room-${name}`, kind: "shared" };
  }

  /** Both accounts write once, so that their private conversations are known. */
  async begin(): Promise<void> {
    for (const at of [this.#ann, this.#phone]) await at.say("hello");
  }

  async take(event: Event): Promise<void> {
    if (event.do === "ask") await this.#ask(event.place === "shared");
    if (event.do === "press") await this.#press(event.by, event.label, event.request);
    if (event.do === "link" && this.#link === undefined) {
      await linkUp(this.#ann, this.#phone);
      this.#link = ++this.#links;
    }
    if (event.do === "unlink" && this.#link !== undefined) {
      expect(await this.#ann.command("unlink", "slack")).toContain("no longer linked");
      this.#link = undefined;
    }
    if (event.do === "expire") await this.expire();
  }

  async #ask(isShared: boolean): Promise<void> {
    const { clock } = this.#approvals.core;
    const timers = clock.waits.items.filter(isTimer).length;
    const pauses = clock.waits.items.filter((ms) => ms === RECORD_WAIT_MS).length;
    const before = this.#approvals.requests.length;
    const text = `send ${this.#name}/${this.#waiting.length}`;
    await this.#ann.say(text, isShared ? { conversation: this.#room } : {});
    const request = await this.#approvals.request(before);
    this.#waiting.push({ request, isShared, link: this.#link, state: "pending" });
    const isStarted = (all: readonly number[]) => all.filter(isTimer).length > timers;
    const isPausing = (all: readonly number[]) => all.filter((ms) => ms === RECORD_WAIT_MS).length > pauses;
    if (!isStarted(await clock.waits.until((all) => isStarted(all) || isPausing(all)))) clock.advance(RECORD_WAIT_MS);
    await clock.waits.until(isStarted);
  }

  async #press(by: Presser, label: "Approve" | "Deny", nth: number): Promise<void> {
    const one = this.#waiting[nth % this.#waiting.length] as Waiting;
    const expected = expectedAnswer(one, by, this.#link);
    const { markdown } = await this.#approvals.press(one.request, label, this.#from(by));
    expect([by, label, answerIn(markdown)]).toEqual([by, label, expected]);
    if (expected === "decided") one.state = label === "Approve" ? "approved" : "denied";
  }

  #from(by: Presser) {
    const [conversation, id] = {
      ann: [this.#ann.conversation, `ann-${this.#name}`],
      "ann in the room": [this.#room, `ann-${this.#name}`],
      phone: [this.#phone.conversation, `phone-${this.#name}`],
      bob: [this.#room, "bob"],
      olga: [this.#room, "olga"],
    }[by] as [Conversation, string];
    return { conversation, account: { id, name: id } };
  }

  /** Lets the time of all requests that wait now pass. */
  async expire(): Promise<void> {
    this.#approvals.core.clock.advance(EXPIRE_MS);
    for (const one of this.#waiting.filter(({ state }) => state === "pending")) {
      expect((await this.#approvals.decisionOf(one.request)).markdown).toContain("Not decided in time");
      one.state = "expired";
    }
  }

  /** Every outcome was reported once, and only approved calls have run, each once and with its own arguments. */
  async check(): Promise<void> {
    await this.expire();
    const reported = () => this.#approvals.finals.map(({ markdown }) => markdown).join("\n");
    await this.#approvals.core.replies.until(() =>
      this.#waiting.every(({ request }) => reported().includes(idOf(request))),
    );
    const approved = this.#waiting.flatMap(({ state }, index) =>
      state === "approved" ? [`send ${this.#name}/${index}`] : [],
    );
    const ran = this.#approvals.runs.items.map(({ input }) => (input as { text: string }).text);
    expect(ran.filter((text) => text.startsWith(`send ${this.#name}/`)).sort()).toEqual(approved.sort());
    for (const { request } of this.#waiting) expect(reported().split(`(${idOf(request)})`)).toHaveLength(2);
  }
}

describe("given requests, links that come and go, and time that passes (T4, D3, R1)", () => {
  let approvals: ApprovalsUnderTest;
  let courses = 0;
  beforeAll(async () => {
    approvals = await ApprovalsUnderTest.start({
      heldByClock: true,
      agent: { approvals: { expireMs: EXPIRE_MS } },
      roles: {
        primary: ({ text, outputs }) => {
          const [found] = /send \S+$/.exec(text) ?? [];
          return found === undefined || outputs.length > 0 ? "fine" : calls({ name: TOOL, input: { text: found } });
        },
        continuation: ({ text }) => text,
      },
    });
  });
  afterAll(() => approvals.core.dispose());

  it("when anyone presses at any time, then exactly the permitted presses in time count, and a call runs at most once", {
    timeout: 300_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(someEvents, async (events) => {
        const course = new Course(approvals, `c${++courses}`);
        await course.begin();
        for (const event of events) await course.take(event);
        await course.check();
      }),
      propertyRuns(25),
    );
  });
});
