import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { conversationKey, sameConversation } from "../../../core/contract/messages/conversation.ts";
import { OriginKind, Reach } from "../../../core/contract/messages/delivery-policy.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import {
  ACCOUNTS,
  AudienceWorld,
  CHANNELS,
  channelOf,
  ownerOfRoom,
  privateOf,
  ROOMS,
  roomOf,
  type Work,
} from "./audience-world.ts";

const conversation = fc.record({
  room: fc.constantFrom(undefined, ...ROOMS),
  thread: fc.constantFrom(undefined, undefined, "t1", "t2"),
});
const crashAfter = fc.constantFrom(0, 1, 2, 3, Number.POSITIVE_INFINITY);
const which = fc.nat(50);
const policy = fc.dictionary(fc.constantFrom("default", ...OriginKind.options), fc.constantFrom(...Reach.options));

type Step = (world: AudienceWorld) => Promise<void>;
interface RoomAndThread {
  readonly room: string | undefined;
  readonly thread: string | undefined;
}
const conversationOf = (who: string, { room, thread }: RoomAndThread): Conversation => ({
  ...(room === undefined ? privateOf(who) : roomOf(who, room)),
  ...(thread !== undefined && { thread }),
});
const spell = ({ room = "private", thread }: RoomAndThread) =>
  thread === undefined ? room : `${room}, thread ${thread}`;
const workAt = ({ work }: AudienceWorld, index: number) => work[index % Math.max(1, work.length)];

/** Private results never appear in a room, to another person, or across a link or an unlink (D3). */
const stepsOf = (account: fc.Arbitrary<string>): fc.Arbitrary<{ says: string; step: Step }>[] => [
  fc.tuple(account, conversation, fc.boolean()).map(([who, where, isScheduled]) => ({
    says: `${who} writes in ${spell(where)}${isScheduled ? ", a schedule" : ""}`,
    step: (world) => world.write(who, conversationOf(who, where), isScheduled),
  })),
  fc.tuple(account, account, crashAfter).map(([one, other, after]) => ({
    says: `link ${one} ${other}, crash after ${after}`,
    step: (world) => world.link(one, other, after),
  })),
  fc.tuple(account, crashAfter).map(([who, after]) => ({
    says: `unlink ${who}, crash after ${after}`,
    step: (world) => world.unlink(who, after),
  })),
  fc.tuple(account, policy).map(([who, chosen]) => ({
    says: `the policy of ${who} is ${JSON.stringify(chosen)}`,
    step: (world) => world.policy(who, chosen),
  })),
  account.map((who) => ({
    says: `access of ${who} changes`,
    step: async ({ barred }) => void (barred.has(who) ? barred.delete(who) : barred.add(who)),
  })),
  fc
    .tuple(which, fc.constantFrom("final", "final", "progress", "completion", "notice"), fc.boolean())
    .map(([index, kind, isSolicited]) => ({
      says: `an answer (${kind}${isSolicited ? ", solicited" : ""}) to work ${index}`,
      async step(world) {
        const work = workAt(world, index);
        if (work === undefined) return;
        const targets = await world.answer(work, kind as "final", isSolicited);
        const keys = targets.map(conversationKey);
        expect(new Set(keys).size).toBe(keys.length);
        for (const target of targets) expect(world.maySee(work, target), conversationKey(target)).toBe(true);
        if (isSolicited || kind !== "final") expect(targets.length).toBeLessThanOrEqual(1);
      },
    })),
  which.map((index) => ({
    says: `delivery ${index} is sent`,
    async step(world) {
      const [waiting] = world.queued.splice(index % Math.max(1, world.queued.length), 1);
      if (waiting === undefined) return;
      const { work, reply, target } = waiting;
      if (!(await world.isStillTarget(reply, target))) return;
      expect(world.maySee(work, target)).toBe(true);
      expect(target.kind === "private" && world.barred.has(ownerOfRoom(target) ?? "")).toBe(false);
    },
  })),
  which.map((index) => ({
    says: `delivery ${index} is rejected`,
    async step(world) {
      const [waiting] = world.queued.splice(index % Math.max(1, world.queued.length), 1);
      if (waiting === undefined) return;
      const { work, target } = waiting;
      const elsewhere = await world.refuse(waiting);
      if (typeof elsewhere === "string") return expect(elsewhere).toBe(work.asker);
      expect(elsewhere.map(conversationKey)).not.toContain(conversationKey(target));
      for (const other of elsewhere) expect(world.maySee(work, other), conversationKey(other)).toBe(true);
    },
  })),
  fc.tuple(which, account, conversation).map(([index, who, where]) => ({
    says: `${who} answers the anchor of work ${index} in ${spell(where)}`,
    async step(world) {
      const work = workAt(world, index);
      const here = conversationOf(who, where);
      if (work === undefined) return;
      await world.write(who, here, false);
      if (await world.mayContinue(work, here)) expect(world.mayKnow(work, here)).toBe(true);
    },
  })),
  fc.tuple(fc.array(which, { minLength: 2, maxLength: 4 }), account, conversation).map(([indexes, who, where]) => ({
    says: `${who} answers a digest of works ${indexes.join(", ")} in ${spell(where)}`,
    async step(world) {
      const here = conversationOf(who, where);
      await world.write(who, here, false);
      const works = indexes.flatMap((index) => workAt(world, index) ?? []);
      const continued = await world.answerDigest(works, who, here);
      for (const work of works) {
        const isFree = await world.mayContinue(work, here);
        expect(continued.includes(work)).toBe(isFree);
        if (isFree) expect(world.mayKnow(work, here)).toBe(true);
      }
    },
  })),
  fc.tuple(which, which).map(([index, other]) => ({
    says: `a turn of work ${index} makes a schedule for place ${other}`,
    async step(world) {
      const work = workAt(world, index);
      if (work === undefined) return;
      const shownOn = ["here", ...world.linkedWith(work.asker).map(channelOf)];
      await world.schedule(work, shownOn[other % shownOn.length] ?? "here");
    },
  })),
  which.map((index) => ({
    says: `schedule ${index} runs`,
    async step(world) {
      const { creator, audience } = (await world.run(index)) ?? {};
      if (creator === undefined || audience === undefined) return;
      const isTheirs = world.linkedWith(creator.asker).includes(ownerOfRoom(audience.conversation) ?? "");
      const isOrigin = sameConversation(audience.conversation, creator.audience.conversation);
      expect(audience.conversation.kind === "shared" ? isOrigin : isTheirs).toBe(true);
    },
  })),
  which.map((index) => ({
    says: `a turn of work ${index} lists schedules`,
    async step(world) {
      const work = workAt(world, index);
      if (work === undefined) return;
      for (const made of await world.schedulesSeenBy(work)) {
        expect(world.mayKnow(made, work.audience.conversation)).toBe(true);
        expect(world.linkedWith(work.asker)).toContain(made.asker);
      }
    },
  })),
  fc.tuple(which, account, conversation).map(([index, who, where]) => ({
    says: `${who} tries to cancel work ${index} in ${spell(where)}`,
    async step(world) {
      const work = workAt(world, index);
      if (work === undefined) return;
      const isAllowed = await world.mayCancel(work, who, conversationOf(who, where));
      if (isAllowed) expect(work.together.has(who)).toBe(true);
      if (who === work.asker) expect(isAllowed).toBe(true);
    },
  })),
];

const NEVER = Number.POSITIVE_INFINITY;
const roomKey = ({ thread: _, ...room }: Conversation) => conversationKey(room);

describe("given any people, links and unlinks, rooms and threads, policies, origins, schedules and answers (D3)", () => {
  it.each([
    ["many accounts", ACCOUNTS],
    ["few accounts that are often linked", ACCOUNTS.slice(0, CHANNELS.length)],
  ])(
    "then with %s, a reply appears only at its origin and to accounts that were linked with the asker then and still are",
    async (_name, accounts) => {
      const steps = stepsOf(fc.constantFrom(...accounts));
      // Links, unlinks and messages are the most frequent steps, then schedules.
      const often = [...steps.slice(0, 3), ...steps.slice(0, 3), ...steps.slice(0, 2), ...steps.slice(-4)];
      const scripts = fc.array(fc.oneof(...often, ...steps), { minLength: 10, maxLength: 60, size: "max" });
      await fc.assert(
        fc.asyncProperty(scripts, async (script) => {
          const world = new AudienceWorld();
          for (const { step } of script) await step(world);
          expect(await world.agrees()).toBe(true);
          for (const work of world.work) {
            for (const target of await world.answer(work, "final", false)) {
              expect(world.maySee(work, target), conversationKey(target)).toBe(true);
            }
          }
        }),
        propertyRuns(100),
      );
    },
  );

  it("then a proactive message reaches every such account that has written in private, unless a policy forbids it", async () => {
    const changes = fc.oneof(...stepsOf(fc.constantFrom(...ACCOUNTS)).slice(0, 3));
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 5, maxLength: 40 }), async (script) => {
        const world = new AudienceWorld();
        for (const { step } of script) await step(world);
        for (const work of world.work) {
          const rooms = (await world.answer(work, "final", false)).map(roomKey).sort();
          const reached = [...work.together].filter((one) => world.written.has(one)).map(privateOf);
          const expected = [work.audience.conversation, ...reached].map(roomKey);
          expect(rooms).toEqual([...new Set(expected)].sort());
        }
      }),
      propertyRuns(100),
    );
  });
});

describe("given a schedule whose results go to another account of its creator", () => {
  const begin = async () => {
    const world = new AudienceWorld();
    await world.link("a", "b", NEVER);
    for (const who of ["b", "a"]) await world.write(who, privateOf(who), false);
    await world.schedule(workAt(world, 1) as Work, channelOf("b"));
    await world.run(0);
    return { world, run: world.work.at(-1) as Work };
  };

  it("when the accounts are unlinked while a result is queued, then only its creator gets it (D3)", async () => {
    const { world, run } = await begin();
    expect(await world.answer(run, "final", false)).toEqual([privateOf("a"), privateOf("b")]);
    await world.unlink("b", NEVER);
    const waiting = world.queued.map(async ({ reply, target }) => [target, await world.isStillTarget(reply, target)]);
    expect(await Promise.all(waiting)).toEqual([
      [privateOf("a"), true],
      [privateOf("b"), false],
    ]);
    expect(await world.answer(run, "final", false)).toEqual([privateOf("a")]);
    expect(await world.answer(run, "completion", false)).toEqual([]);
  });

  it("when they are unlinked, then only its creator may continue or cancel it (D3, I3)", async () => {
    const { world, run } = await begin();
    await world.unlink("a", NEVER);
    for (const [who, may] of [
      ["a", true],
      ["b", false],
    ] as const) {
      expect(await world.mayContinue(run, privateOf(who))).toBe(may);
      expect(await world.mayCancel(run, who, privateOf(who))).toBe(may);
    }
  });
});
