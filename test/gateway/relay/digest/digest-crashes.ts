import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PaperPlatform } from "../../../fakes/paper-platform.ts";
import type { BackboneData } from "../backbone-data.ts";
import { RelayProcess } from "../relay-process.ts";

const LATE = ["late 1", "late 2", "late 3"];

/** A gateway is killed while it holds late replies, and while it sends them (D5). */
export const digestCrashes = (name: string, createData: () => Promise<BackboneData>): void => {
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

  const start = async (
    resend: "idempotent" | "repeats",
    crashAt?: { checkpoint: string; time: number },
  ): Promise<RelayProcess> => {
    const { apiUrl, token, secret } = platform;
    platform.recognisesKeys = resend === "idempotent";
    const options = { backbone: data.backbone, apiUrl, token, secret, resend, ...(crashAt && { crashAt }) };
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
    it("when it is killed at each step in turn, then each reply is shown once, in order", async () => {
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
        const first = await start("idempotent", { checkpoint, time: checkpoint === "held.stored" ? 2 : 1 });
        if (checkpoint === steps[0]) expect(await say("late")).toBe(200);
        await first.exited;
      }
      await start("idempotent");
      expect(await say("two")).toBe(200);
      await platform.until(({ notes }) => notes.some(({ text }) => /\btwo\b/.test(text)));
      expect(seen()).toEqual(LATE);
    });

    it("when the platform does not deduplicate and it is killed after the first send, then nothing is resent, and each outcome is unknown (D4)", async () => {
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
