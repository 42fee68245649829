import { embeddedHarness } from "../../../contract/embedded-harness.ts";
import { runRecordPromises } from "../runs/run-record-promises.ts";
import { dueTimeProperty } from "./due-time-property.ts";

dueTimeProperty(embeddedHarness, 25);
runRecordPromises(embeddedHarness);
