import { natsHarness } from "../../contract/nats-harness.ts";
import { batchProperty } from "./batch-property.ts";

batchProperty(natsHarness, 10);
