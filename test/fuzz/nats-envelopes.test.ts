import fc from "fast-check";
import { connect, headers } from "nats";
import { describe, expect, it } from "vitest";
import { openNatsBackbone } from "../../core/backbone/nats/open-nats-backbone.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import { ack } from "../../core/contract/ports/bus.ts";
import { silentLogger as logger } from "../../core/contract/ports/logger.ts";
import { userMessage } from "../core/core-under-test.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { Recorder } from "../fakes/recorder.ts";
import { fuzzRuns } from "./fuzz-runs.ts";
import { watchHarm } from "./harmless.ts";
import { mutatedText } from "./mutated.ts";

const PARTITIONS = 2;
const HEADERS = ["Nats-Msg-Id", "Mooring-Key", "Mooring-At", "Other"] as const;
const headerText = fc.oneof(
  fc.stringMatching(/^[\x20-\x7e]{0,40}$/),
  fc.constantFrom("=", "=!!", "x/=YQ", "-1", "1e999"),
);

describe("given a foreign client that publishes to the streams and signals of a deployment (F19)", () => {
  it("when its messages are malformed, then each ends, and later valid messages are handled", async () => {
    const server = await NatsServer.start();
    const options = { servers: [server.url], partitions: PARTITIONS, logger, failurePauseMs: 2 };
    const backbone = await openNatsBackbone(options);
    const foreign = await connect({ servers: server.url });
    try {
      const { userMessage: spell, userSignal } = subjectsOf("default");
      const [subject, signals] = [spell("mooring"), userSignal("mooring")];
      const [handled, received] = [new Recorder<string>(), new Recorder<string>()];
      await backbone.bus.listen(signals, (signal) => received.add(signal.conversation.room));
      const consuming = { durable: "test", concurrency: 8 };
      await backbone.bus.consume(subject, consuming, async ({ id }) => {
        handled.add(id);
        return ack;
      });
      const harm = watchHarm();
      const given = fc.dictionary(fc.constantFrom(...HEADERS), headerText);
      let count = 0;
      await fc.assert(
        fc.asyncProperty(mutatedText([userMessage("m", "hello")]), given, async (body, values) => {
          const header = headers();
          for (const [name, value] of Object.entries(values)) header.set(name, value);
          const partition = ++count % PARTITIONS;
          foreign.publish(`mooring.${subject.name}.${partition}`, body, { headers: header });
          foreign.publish(`mooring_signal.${signals.name}`, body, { headers: header });
        }),
        fuzzRuns(200),
      );
      await foreign.flush();
      const keys = Array.from({ length: 8 }, (_, n) => `still-${n}`);
      for (const id of keys) await backbone.bus.publish(subject, userMessage(id, "here"), { id, key: id });
      await handled.until((ids) => keys.every((id) => ids.includes(id)));
      const conversation = { channel: "web", room: "still", kind: "private" } as const;
      backbone.bus.signal(signals, { type: "typing", conversation });
      await received.until((rooms) => rooms.includes("still"));
      harm.expectNone();
      expect(backbone.health()).toEqual({ ok: true });
    } finally {
      await foreign.close();
      await backbone.close();
      await server.stop();
    }
  });
});
