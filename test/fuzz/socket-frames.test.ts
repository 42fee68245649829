import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closeCodes } from "../../adapters/web/protocol-constants.ts";
import { runningGateways } from "../adapters/web/running-gateways.ts";
import { enter, WebClient } from "../adapters/web/web-client.ts";
import { fuzzRuns } from "./fuzz-runs.ts";
import { watchHarm } from "./harmless.ts";
import { mutatedText } from "./mutated.ts";

const start = runningGateways();
const limits = { messagesPerSecond: 1e6, messageBurst: 1e6, framesPerSecond: 1e6, frameBurst: 1e6 };

const FRAMES = [
  { type: "hello", token: "a.b.c", resumeFrom: 3, timeZone: "Europe/Berlin", locale: "de" },
  { type: "hello" },
  { type: "message", id: "m1", text: "hello", replyTo: "r-1", attachments: [{ id: "f-1" }] },
  { type: "command", id: "c1", name: "why", args: "now" },
  { type: "history", before: 12, limit: 10 },
  { type: "typing" },
];
const DOCUMENTED = new Set<number>([...Object.values(closeCodes), 1007]);

describe("given malformed frames on the web socket (F19)", () => {
  it("when they arrive, then each is answered or closed with a documented code, and messages of other clients are accepted", async () => {
    const gateway = await start({ config: { limits } });
    const { client: other } = await enter(gateway);
    const harm = watchHarm();
    let cases = 0;
    const frames = fc.array(mutatedText(FRAMES), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(frames, fc.boolean(), async (sent, hasEntered) => {
        const client = hasEntered ? (await enter(gateway)).client : await new WebClient(gateway).opened();
        for (const frame of sent) client.sendRaw(frame);
        if (!hasEntered) client.send({ type: "hello" });
        client.send({ type: "history", before: 1_000_000, limit: 1 });
        await client.until(() => client.closed !== undefined || client.frames.some(({ type }) => type === "history"));
        if (client.closed) expect(DOCUMENTED).toContain(client.closed.code);
        client.socket.terminate();
        const id = `still-${++cases}`;
        other.send({ type: "message", id, text: "here" });
        await other.next("accepted", (accepted) => accepted.id === id);
      }),
      fuzzRuns(200),
    );
    harm.expectNone();
  });
});
