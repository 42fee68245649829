import { embeddedHarness } from "../../../contract/embedded-harness.ts";
import { memoryProperty } from "./memory-property.ts";

memoryProperty(embeddedHarness, 40);
