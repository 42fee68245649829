import { natsHarness } from "../../../contract/nats-harness.ts";
import { memoryProperty } from "./memory-property.ts";

memoryProperty(natsHarness, 6);
