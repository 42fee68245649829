import { describe } from "vitest";
import { adapterDraws } from "./channel/adapter-draws.ts";
import { adapterEdits } from "./channel/adapter-edits.ts";
import { adapterIntake } from "./channel/adapter-intake.ts";
import { adapterPosts } from "./channel/adapter-posts.ts";
import { adapterStops } from "./channel/adapter-stops.ts";
import { adapterTrouble } from "./channel/adapter-trouble.ts";
import type { MakeHarness } from "./channel/harness-in-use.ts";

/** What every channel promises (C1). Its capabilities and abilities skip cases, nothing else does. */
export const channelAdapterContract = (name: string, makeHarness: MakeHarness): void => {
  describe(`given the adapter contract on ${name} (C1)`, () => {
    adapterIntake(makeHarness);
    adapterPosts(makeHarness);
    adapterDraws(makeHarness);
    adapterEdits(makeHarness);
    adapterTrouble(makeHarness);
    adapterStops(makeHarness);
  });
};
