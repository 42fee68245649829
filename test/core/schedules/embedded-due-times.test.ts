import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { dueTimeProperty } from "./due-time-property.ts";

dueTimeProperty(embeddedHarness, 25);
