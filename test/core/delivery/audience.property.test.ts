import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conversationKey } from "../../../core/contract/conversation.ts";
import { OriginKind, Reach } from "../../../core/contract/delivery-policy.ts";
import { ACCOUNTS, AudienceWorld, privateOf, ROOMS, roomOf } from "./audience-world.ts";

const account = fc.constantFrom(...ACCOUNTS);
const place = fc.constantFrom(undefined, ...ROOMS);
const killedAfter = fc.constantFrom(0, 1, 2, 3, Number.POSITIVE_INFINITY);
const which = fc.nat(50);
const policy = fc.dictionary(fc.constantFrom("default", ...OriginKind.options), fc.constantFrom(...Reach.options));

type Step = (world: AudienceWorld) => Promise<void>;
const placeOf = (who: string, room: string | undefined) => (room === undefined ? privateOf(who) : roomOf(who, room));

/** Nothing private in a shared place or before another person; nothing across a link or an unlink (D3). */
const steps: fc.Arbitrary<{ says: string; step: Step }>[] = [
  fc.tuple(account, place, fc.boolean()).map(([who, room, isScheduled]) => ({
    says: `${who} writes in ${room ?? "private"}${isScheduled ? ", a schedule" : ""}`,
    step: (world) => world.write(who, placeOf(who, room), isScheduled),
  })),
  fc.tuple(account, account, killedAfter).map(([one, other, after]) => ({
    says: `link ${one} ${other}, killed after ${after}`,
    step: (world) => world.link(one, other, after),
  })),
  fc.tuple(account, killedAfter).map(([who, after]) => ({
    says: `unlink ${who}, killed after ${after}`,
    step: (world) => world.unlink(who, after),
  })),
  fc.tuple(account, policy).map(([who, chosen]) => ({
    says: `${who} wants ${JSON.stringify(chosen)}`,
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
        const work = world.work[index % Math.max(1, world.work.length)];
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
      const owner = ACCOUNTS.find((one) => conversationKey(privateOf(one)) === conversationKey(target));
      expect(owner !== undefined && world.barred.has(owner)).toBe(false);
    },
  })),
  fc.tuple(which, account, place).map(([index, who, room]) => ({
    says: `${who} answers the anchor of work ${index} in ${room ?? "private"}`,
    async step(world) {
      const work = world.work[index % Math.max(1, world.work.length)];
      if (work === undefined) return;
      await world.write(who, placeOf(who, room), false);
      if (await world.mayContinue(work, placeOf(who, room))) expect(world.maySee(work, placeOf(who, room))).toBe(true);
    },
  })),
];

/** What brings people together and apart happens most. */
const often = [...steps.slice(0, 3), ...steps.slice(0, 3), ...steps.slice(0, 2)];

describe("given any people, links and unlinks, rooms, policies, origins and answers (D3)", () => {
  it("then an answer is seen only where its work began, and by accounts that were the asker's then and still are", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...often, ...steps), { minLength: 10, maxLength: 60 }), async (script) => {
        const world = new AudienceWorld();
        for (const { step } of script) await step(world);
        expect(await world.agrees()).toBe(true);
        for (const work of world.work) {
          for (const target of await world.answer(work, "final", false)) {
            expect(world.maySee(work, target), conversationKey(target)).toBe(true);
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  it("then an unsolicited answer does reach every such account that has written in private, unless told otherwise", async () => {
    const changes = fc.oneof(...steps.slice(0, 3));
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 5, maxLength: 40 }), async (script) => {
        const world = new AudienceWorld();
        for (const { step } of script) await step(world);
        for (const work of world.work) {
          const keys = (await world.answer(work, "final", false)).map(conversationKey).sort();
          const reached = [...work.together].filter((one) => world.written.has(one)).map(privateOf);
          const expected = [work.audience.conversation, ...reached].map(conversationKey);
          expect(keys).toEqual([...new Set(expected)].sort());
        }
      }),
      { numRuns: 200 },
    );
  });
});
