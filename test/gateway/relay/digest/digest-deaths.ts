import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PaperPlatform } from "../../../fakes/paper-platform.ts";
import type { BackbonePlace } from "../places.ts";
import { RelayProcess } from "../relay-process.ts";

const LATE = ["late 1", "late 2", "late 3"];

/** A gateway dies while it keeps late replies back, and while it sends them (D5). */
export const digestDeaths = (name: string, openPlace: () => Promise<BackbonePlace>): void => {
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

  const start = async (
    resend: "idempotent" | "repeats",
    dieAt?: { checkpoint: string; time: number },
  ): Promise<RelayProcess> => {
    const { apiUrl, token, secret } = platform;
    platform.recognisesKeys = resend === "idempotent";
    const options = { backbone: place.backbone, apiUrl, token, secret, resend, ...(dieAt && { dieAt }) };
    gateway = await RelayProcess.start(options);
    platform.sendEventsTo(gateway.webhookUrl);
    return gateway;
  };
  const say = (text: string) =>
    platform.sendEvent({
      id: text,
      room: "lobby",
      direct: false,
      author: { id: "ann", name: "Ann" },
      text,
      at: new Date().toISOString(),
    });
  const seen = (): string[] => platform.notes.flatMap(({ text }) => text.match(/late \d/g) ?? []);

  describe(`given a gateway on ${name} that is killed while replies are late (D5)`, () => {
    it("when it dies at every step, one after the other, then each is seen once, in order", async () => {
      const steps = [
        "held.withdrawn",
        "held.stored",
        "held.noted",
        "digest.begun",
        "delivery.sent",
        "digest.tried",
        "digest.marked",
      ];
      for (const checkpoint of steps) {
        const mortal = await start("idempotent", { checkpoint, time: checkpoint === "held.stored" ? 2 : 1 });
        if (checkpoint === steps[0]) expect(await say("late")).toBe(200);
        await mortal.exited;
      }
      await start("idempotent");
      expect(await say("two")).toBe(200);
      await platform.until(({ notes }) => notes.some(({ text }) => /\btwo\b/.test(text)));
      expect(seen()).toEqual(LATE);
    });

    it("when the platform repeats a second send and it dies after the first, then nothing is repeated, and each is unknown (D4)", async () => {
      const first = await start("repeats", { checkpoint: "delivery.sent", time: 1 });
      expect(await say("late")).toBe(200);
      await first.exited;
      const second = await start("repeats");
      expect(await say("two")).toBe(200);
      await platform.until(({ notes }) => notes.some(({ text }) => text === "two"));
      expect(seen()).toEqual(LATE);
      const { dead } = await second.state("reply-paper:late/1");
      expect(dead).toEqual(LATE.map(() => expect.stringMatching(/^unknown: /)));
    });
  });
};
