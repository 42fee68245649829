import { describe } from "vitest";
import { adapterAuthors } from "./channel/adapter-authors.ts";
import { adapterButtons } from "./channel/adapter-buttons.ts";
import { adapterConversations } from "./channel/adapter-conversations.ts";
import { adapterEdits } from "./channel/adapter-edits.ts";
import { adapterFailures } from "./channel/adapter-failures.ts";
import { adapterFiles, adapterSentFiles } from "./channel/adapter-files.ts";
import { adapterIntake } from "./channel/adapter-intake.ts";
import { adapterLifecycle } from "./channel/adapter-lifecycle.ts";
import { adapterPosts } from "./channel/adapter-posts.ts";
import { adapterRendering } from "./channel/adapter-rendering.ts";
import { adapterSigns } from "./channel/adapter-signs.ts";
import { adapterStrangers } from "./channel/adapter-strangers.ts";
import type { MakeHarness } from "./channel-harness.ts";

/** The contract of every channel (C1). Only capabilities and abilities may skip cases. */
export const channelAdapterContract = (name: string, makeHarness: MakeHarness): void => {
  describe(`given the adapter contract on ${name} (C1)`, () => {
    adapterIntake(makeHarness);
    adapterAuthors(makeHarness);
    adapterStrangers(makeHarness);
    adapterConversations(makeHarness);
    adapterFiles(makeHarness);
    adapterSentFiles(makeHarness);
    adapterPosts(makeHarness);
    adapterButtons(makeHarness);
    adapterSigns(makeHarness);
    adapterRendering(makeHarness);
    adapterEdits(makeHarness);
    adapterFailures(makeHarness);
    adapterLifecycle(makeHarness);
  });
};
