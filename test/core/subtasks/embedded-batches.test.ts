import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { batchProperty } from "./batch-property.ts";

batchProperty(embeddedHarness, 30);
