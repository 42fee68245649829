import { openEmbeddedBackbone } from "../../../../core/backbone/embedded/open-embedded-backbone.ts";
import { AppError } from "../../../../core/contract/app-error.ts";
import { type Clock, systemClock } from "../../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../../core/contract/ports/logger.ts";
import { keyOf } from "../../../../core/contract/ports/store.ts";
import { counted, notes } from "./sample-kinds.ts";

/** Publishes and puts in a loop, prints each number once both are stored, and prints the error that ends the loop. */
const [dataDir = "", round = "0", inFlight = "1"] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
const codeOf = (error: unknown) => (error instanceof AppError ? error.code : String(error));

/** A batch ends after a time limit, which a stalled machine exceeds; a clock that stands still keeps both in one batch. */
const frozenClock: Clock = { ...systemClock, monotonic: () => 0 };

try {
  const backbone = await openEmbeddedBackbone({ dataDir, logger: silentLogger, clock: frozenClock });
  const { bus, store } = backbone;
  say("open");
  let n = 0;
  const work = async () => {
    for (;;) {
      const id = `${round}-${++n}`;
      const text = "x".repeat(n % 3_000);
      await Promise.all([
        bus.publish(counted(), { n, text }, { id }),
        store.put(keyOf(notes, id), { text }, { ifRevision: 0 }),
      ]);
      say(id);
    }
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, work)).catch(async (error) => {
    say(`failed ${codeOf(error)}`);
    await bus.publish(counted(), { n: 0 }, { id: "after" }).catch((again) => say(`then ${codeOf(again)}`));
    say(`health ${JSON.stringify(backbone.health())}`);
  });
} catch (error) {
  say(`refused ${codeOf(error)} ${error instanceof Error ? error.message : ""}`);
}
// The pipe is full if the parent reads late; what it has not taken yet would be lost with the process.
process.stdout.write("", () => process.exit());
