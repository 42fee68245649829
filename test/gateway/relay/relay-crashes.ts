import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PaperEvent } from "../../fakes/paper-platform.ts";
import { PaperPlatform } from "../../fakes/paper-platform.ts";
import type { BackboneData } from "./backbone-data.ts";
import type { RelayState } from "./relay-process.ts";
import { RelayProcess } from "./relay-process.ts";

const KINDS = {
  "shows a second send again": { resend: "repeats" },
  "can be queried": { resend: "repeats", ability: "reconciling" },
  "deduplicates sends": { resend: "idempotent" },
  "deduplicates sends and can edit posts": { resend: "idempotent", ability: "editing" },
  "can be queried, and moves rooms": { resend: "repeats", ability: "moving" },
  "can be queried and can edit posts": { resend: "repeats", ability: "reconciling-editing" },
} as const;
type Kind = keyof typeof KINDS;

/** A gateway in its own process is killed at each step of a message and its reply (D4). */
export const relayCrashes = (name: string, createData: () => Promise<BackboneData>): void => {
  let data: BackboneData;
  let platform: PaperPlatform;
  let gateway: RelayProcess | undefined;
  beforeEach(async () => {
    data = await createData();
    platform = await new PaperPlatform().open();
  });
  afterEach(async () => {
    await gateway?.kill();
    await platform.close();
    await data.dispose();
  });

  const start = async (kind: Kind, crashAt?: { checkpoint: string; time: number }): Promise<RelayProcess> => {
    const { apiUrl, token, secret } = platform;
    const { backbone } = data;
    platform.recognisesKeys = KINDS[kind].resend === "idempotent";
    gateway = await RelayProcess.start({
      backbone,
      apiUrl,
      token,
      secret,
      ...KINDS[kind],
      ...(crashAt && { crashAt }),
    });
    platform.sendEventsTo(gateway.webhookUrl);
    return gateway;
  };

  /** The first gateway is killed at the checkpoint; a second one takes over, and a later message proves that it has caught up. */
  const surviveCrash = async (kind: Kind, checkpoint: string, time = 1, text = "one"): Promise<RelayState> => {
    const first = await start(kind, { checkpoint, time });
    const one = event("one", text);
    const answer = await platform.sendEvent(one);
    await first.exited;
    const second = await start(kind);
    // Platforms redeliver events that were not acknowledged.
    if (answer !== 200) expect(await platform.sendEvent(one)).toBe(200);
    expect(await platform.sendEvent(event("two"))).toBe(200);
    await platform.until(({ notes }) => notes.some((note) => note.text === "two"));
    return second.state("reply-paper:one");
  };
  const shown = () => platform.notes.map(({ text }) => text);

  describe(`given a gateway on ${name} that is killed, and a platform that shows a second send again (D4, F1, F11)`, () => {
    const kind = "shows a second send again";

    it.each(["inbox.before", "inbox.stored", "relay.received", "delivery.marked"])(
      "when it is killed at %s, then the reply is shown once, in order",
      async (checkpoint) => {
        const { ledger, dead } = await surviveCrash(kind, checkpoint);
        expect(shown()).toEqual(["one", "two"]);
        expect(ledger).toEqual(["accepted"]);
        expect(dead).toEqual([]);
      },
    );

    it.each([
      ["delivery.claimed", ["two"]],
      ["delivery.sent", ["one", "two"]],
    ])(
      "when it is killed at %s, then the outcome is recorded as unknown, and nothing is resent",
      async (checkpoint, seen) => {
        const { ledger, dead } = await surviveCrash(kind, checkpoint);
        expect(shown()).toEqual(seen);
        expect(ledger).toEqual(["unknown"]);
        expect(dead).toEqual([expect.stringMatching(/^unknown: /)]);
      },
    );

    it("when it is killed between two parts, then accepted parts are not sent again", async () => {
      const paragraphs = ["first", "second", "third"].map((word) => `${word} `.repeat(50).trim());
      const { ledger } = await surviveCrash(kind, "delivery.marked", 2, paragraphs.join("\n\n"));
      expect(shown()).toEqual([...paragraphs, "two"]);
      expect(ledger).toEqual(["accepted", "accepted", "accepted"]);
    });
  });

  describe.each(["can be queried", "deduplicates sends"] as const)(
    `given a gateway on ${name} that is killed, and a platform that %s (D4)`,
    (kind) => {
      it.each(["delivery.claimed", "delivery.sent"])(
        "when it is killed at %s, then the reply is shown once, in order",
        async (checkpoint) => {
          const { ledger, dead } = await surviveCrash(kind, checkpoint);
          expect(shown()).toEqual(["one", "two"]);
          expect(ledger).toEqual(["accepted"]);
          expect(dead).toEqual([]);
        },
      );
    },
  );

  describe.each(["can be queried", "deduplicates sends"] as const)(
    `given a gateway on ${name} that is killed while it sends files, and a platform that %s (M3, D4)`,
    (kind) => {
      it.each([
        ["delivery.marked", 1],
        ["delivery.claimed", 2],
        ["delivery.sent", 3],
      ])("when it is killed at %s, time %i, then text and files are shown once each, in order", async (step, time) => {
        const { ledger, dead } = await surviveCrash(kind, step, time, "one with files");
        expect(shown()).toEqual(["one with files", "[a.txt: content of a.txt]", "[b.txt: content of b.txt]", "two"]);
        expect(ledger).toEqual(["accepted", "accepted", "accepted"]);
        expect(dead).toEqual([]);
      });
    },
  );

  describe(`given a gateway on ${name} that is killed while it shows activity (B1)`, () => {
    const kind = "deduplicates sends and can edit posts";

    it.each([
      ["activity.noted", 2],
      ["delivery.sent", 1],
      ["activity.marked", 1],
      ["activity.edited", 1],
    ])("when it is killed at %s, time %i, then one message shows the last state", async (checkpoint, time) => {
      await surviveCrash(kind, checkpoint, time, "work");
      await platform.until(({ notes }) => notes.some(({ text }) => text === "state 3"));
      expect(shown().sort()).toEqual(["state 3", "two", "work"]);
    });
  });

  describe(`given a gateway on ${name} that is killed while a room gets another id (C1)`, () => {
    const kind = "can be queried, and moves rooms";
    const places = () => platform.notes.map(({ room, text }) => `${room}: ${text}`);

    it.each(["room.known", "room.moved"])(
      "when a delivery learns of the move and it is killed at %s, then the reply is shown once, in the new room",
      async (checkpoint) => {
        platform.movedRooms.set("lobby", "harbour");
        const { ledger, dead } = await surviveCrash(kind, checkpoint);
        expect(places()).toEqual(["harbour: one", "harbour: two"]);
        expect(ledger).toEqual(["accepted"]);
        expect(dead).toEqual([]);
      },
    );

    it.each(["room.known", "room.moved"])(
      "when the platform announces the move and it is killed at %s, then the announcement is repeated and followed",
      async (checkpoint) => {
        const move = { ...event("move"), movedTo: "harbour" };
        platform.movedRooms.set("lobby", "harbour");
        const first = await start(kind, { checkpoint, time: 1 });
        expect(await platform.sendEvent(move)).not.toBe(200);
        await first.exited;
        const second = await start(kind);
        expect(await platform.sendEvent(move)).toBe(200);
        expect(await platform.sendEvent({ ...event("one"), room: "harbour" })).toBe(200);
        expect(await platform.sendEvent(event("two"))).toBe(200);
        await platform.until(({ notes }) => notes.length === 2);
        expect(places()).toEqual(["harbour: one", "harbour: two"]);
        // No attempt was made at the old id.
        expect(platform.posts).toBe(2);
        expect((await second.state("reply-paper:one")).dead).toEqual([]);
      },
    );
  });

  describe(`given a gateway on ${name} that is killed while it reports an unreachable room (P2)`, () => {
    it.each(["undeliverable.settled", "undeliverable.published"])(
      "when it is killed at %s, then the home gets one report",
      async (checkpoint) => {
        platform.faultIn = (name) => (name === "gone" ? "room-gone" : undefined);
        const { dead } = await surviveCrash("deduplicates sends", checkpoint, 1, "scheduled");
        await platform.until(({ notes }) => notes.some((note) => note.room === "home"));
        const notices = platform.notes.filter((note) => note.room === "home").map(({ text }) => text);
        expect(notices).toEqual([
          expect.stringMatching(/^The result of the schedule “Stretch” could not be delivered/),
        ]);
        expect(dead).toEqual([expect.stringMatching(/^target-gone: /)]);
      },
    );
  });

  describe.each(["deduplicates sends and can edit posts", "can be queried and can edit posts"] as const)(
    `given a gateway on ${name} that is killed while it streams answers, and a platform that %s (D4)`,
    (kind) => {
      it("when it is killed at each step in turn, then each answer is one complete message", async () => {
        const steps = ["delivery.claimed", "delivery.sent", "delivery.marked", "stream.edited", "stream.finished"];
        const whole: string[] = [];
        for (const checkpoint of steps) {
          const first = await start(kind, { checkpoint, time: 1 });
          const crashed = first.exited.then(() => "crashed");
          // An answer that is complete before its first edit does not pass every checkpoint; then the next one does.
          for (let outcome = ""; outcome !== "crashed"; ) {
            const text = `written ${whole.length}`;
            const answer = await platform.sendEvent(event(text, text));
            if (answer === 200) whole.push(text);
            outcome = await Promise.race([crashed, platform.until(() => shown().includes(text)).then(() => "whole")]);
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
