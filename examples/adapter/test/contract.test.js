import { channelAdapterContract } from "mooring/testing";
import { describe, expect, it } from "vitest";
import { paperHarness } from "./paper-harness.js";

channelAdapterContract("paper", paperHarness, { describe, it, expect });
