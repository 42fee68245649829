import { natsHarness } from "../../contract/nats-harness.ts";
import { dueTimeProperty } from "./due-time-property.ts";

dueTimeProperty(natsHarness, 8);
