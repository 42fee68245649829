import { describe } from "vitest";
import { adapterEdits } from "./channel/adapter-edits.ts";
import { adapterFailures } from "./channel/adapter-failures.ts";
import { adapterIntake } from "./channel/adapter-intake.ts";
import { adapterLifecycle } from "./channel/adapter-lifecycle.ts";
import { adapterPosts } from "./channel/adapter-posts.ts";
import { adapterRendering } from "./channel/adapter-rendering.ts";
import type { MakeHarness } from "./channel/contract-rig.ts";

/** The contract of every channel (C1). Only capabilities and abilities may skip cases. */
export const channelAdapterContract = (name: string, makeHarness: MakeHarness): void => {
  describe(`given the adapter contract on ${name} (C1)`, () => {
    adapterIntake(makeHarness);
    adapterPosts(makeHarness);
    adapterRendering(makeHarness);
    adapterEdits(makeHarness);
    adapterFailures(makeHarness);
    adapterLifecycle(makeHarness);
  });
};
