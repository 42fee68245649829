import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PaperEvent } from "../../fakes/paper-platform.ts";
import { PaperPlatform } from "../../fakes/paper-platform.ts";
import type { BackbonePlace } from "./places.ts";
import type { RelayState } from "./relay-process.ts";
import { RelayProcess } from "./relay-process.ts";

const KINDS = {
  "repeats a second send": { resend: "repeats" },
  "can be asked": { resend: "repeats", ability: "reconciling" },
  "recognises a second send": { resend: "idempotent" },
  "recognises a second send and lets posts be changed": { resend: "idempotent", ability: "editing" },
  "can be asked and lets posts be changed": { resend: "repeats", ability: "reconciling-editing" },
} as const;
type Kind = keyof typeof KINDS;

/** A gateway dies at each step of a message and its reply, in processes of their own (D4). */
export const relayDeaths = (name: string, openPlace: () => Promise<BackbonePlace>): void => {
  let place: BackbonePlace;
  let platform: PaperPlatform;
  let gateway: RelayProcess | undefined;
  beforeEach(async () => {
    place = await openPlace();
    platform = await new PaperPlatform().open();
  });
  afterEach(async () => {
    await gateway?.kill();
    await platform.close();
    await place.dispose();
  });

  const start = async (kind: Kind, dieAt?: { checkpoint: string; time: number }): Promise<RelayProcess> => {
    const { apiUrl, token, secret } = platform;
    const { backbone } = place;
    platform.recognisesKeys = KINDS[kind].resend === "idempotent";
    gateway = await RelayProcess.start({ backbone, apiUrl, token, secret, ...KINDS[kind], ...(dieAt && { dieAt }) });
    platform.sendEventsTo(gateway.webhookUrl);
    return gateway;
  };

  /** The first gateway dies where it is told to; a second one takes over, and a message after it proves that all is done. */
  const surviveDeath = async (kind: Kind, checkpoint: string, time = 1, text = "one"): Promise<RelayState> => {
    const first = await start(kind, { checkpoint, time });
    const one = event("one", text);
    const answer = await platform.sendEvent(one);
    await first.exited;
    const second = await start(kind);
    // As platforms do with what was not acknowledged.
    if (answer !== 200) expect(await platform.sendEvent(one)).toBe(200);
    expect(await platform.sendEvent(event("two"))).toBe(200);
    await platform.until(({ notes }) => notes.some((note) => note.text === "two"));
    return second.state("reply-paper:one");
  };
  const shown = () => platform.notes.map(({ text }) => text);

  describe(`given a gateway on ${name} that is killed, and a platform that repeats a second send (D4, F1, F11)`, () => {
    const kind = "repeats a second send";

    it.each(["inbox.before", "inbox.stored", "relay.received", "delivery.marked"])(
      "when it dies at %s, then the reply is seen once, in order",
      async (checkpoint) => {
        const { ledger, dead } = await surviveDeath(kind, checkpoint);
        expect(shown()).toEqual(["one", "two"]);
        expect(ledger).toEqual(["accepted"]);
        expect(dead).toEqual([]);
      },
    );

    it.each([
      ["delivery.claimed", ["two"]],
      ["delivery.sent", ["one", "two"]],
    ])(
      "when it dies at %s, then the outcome is recorded as unknown, and nothing is repeated",
      async (checkpoint, seen) => {
        const { ledger, dead } = await surviveDeath(kind, checkpoint);
        expect(shown()).toEqual(seen);
        expect(ledger).toEqual(["unknown"]);
        expect(dead).toEqual([expect.stringMatching(/^unknown: /)]);
      },
    );

    it("when it dies between two parts, then the parts that were accepted are not sent again", async () => {
      const paragraphs = ["first", "second", "third"].map((word) => `${word} `.repeat(50).trim());
      const { ledger } = await surviveDeath(kind, "delivery.marked", 2, paragraphs.join("\n\n"));
      expect(shown()).toEqual([...paragraphs, "two"]);
      expect(ledger).toEqual(["accepted", "accepted", "accepted"]);
    });
  });

  describe.each(["can be asked", "recognises a second send"] as const)(
    `given a gateway on ${name} that is killed, and a platform that %s (D4)`,
    (kind) => {
      it.each(["delivery.claimed", "delivery.sent"])(
        "when it dies at %s, then the reply is seen once, in order",
        async (checkpoint) => {
          const { ledger, dead } = await surviveDeath(kind, checkpoint);
          expect(shown()).toEqual(["one", "two"]);
          expect(ledger).toEqual(["accepted"]);
          expect(dead).toEqual([]);
        },
      );
    },
  );

  describe(`given a gateway on ${name} that is killed while work is shown (B1)`, () => {
    const kind = "recognises a second send and lets posts be changed";

    it.each([
      ["activity.noted", 2],
      ["delivery.sent", 1],
      ["activity.marked", 1],
      ["activity.edited", 1],
    ])("when it dies at %s, time %i, then one message shows the last state", async (checkpoint, time) => {
      await surviveDeath(kind, checkpoint, time, "work");
      await platform.until(({ notes }) => notes.some(({ text }) => text === "state 3"));
      expect(shown().sort()).toEqual(["state 3", "two", "work"]);
    });
  });

  describe(`given a gateway on ${name} that is killed while it reports a room that is gone (P2)`, () => {
    it.each(["gone.settled", "gone.told"])("when it dies at %s, then home is told, once", async (checkpoint) => {
      platform.faultIn = (name) => (name === "gone" ? "room-gone" : undefined);
      const { dead } = await surviveDeath("recognises a second send", checkpoint, 1, "scheduled");
      await platform.until(({ notes }) => notes.some((note) => note.room === "home"));
      const told = platform.notes.filter((note) => note.room === "home").map(({ text }) => text);
      expect(told).toEqual([expect.stringMatching(/^The result of the schedule “Stretch” could not be delivered/)]);
      expect(dead).toEqual([expect.stringMatching(/^target-gone: /)]);
    });
  });

  describe.each([
    "recognises a second send and lets posts be changed",
    "can be asked and lets posts be changed",
  ] as const)(
    `given a gateway on ${name} that is killed while answers are written, and a platform that %s (D4)`,
    (kind) => {
      it("when it dies at every step, one after the other, then each answer is one message, and whole", async () => {
        const steps = ["delivery.claimed", "delivery.sent", "delivery.marked", "stream.edited", "stream.finished"];
        const whole: string[] = [];
        for (const checkpoint of steps) {
          const mortal = await start(kind, { checkpoint, time: 1 });
          const death = mortal.exited.then(() => "dead");
          // An answer that is whole before it is edited does not come to every step: then another one does.
          for (let fate = ""; fate !== "dead"; ) {
            const text = `written ${whole.length}`;
            const answer = await platform.sendEvent(event(text, text));
            if (answer === 200) whole.push(text);
            fate = await Promise.race([death, platform.until(() => shown().includes(text)).then(() => "whole")]);
          }
        }
        await start(kind);
        await platform.until(() => whole.every((text) => shown().includes(text)));
        expect(shown().sort()).toEqual(whole.sort());
      });
    },
  );
};

const event = (id: string, text = id): PaperEvent => ({
  id,
  room: "lobby",
  direct: false,
  author: { id: "ann", name: "Ann" },
  text,
  at: new Date().toISOString(),
});
