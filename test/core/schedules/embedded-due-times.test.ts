import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { dueTimeProperty } from "./due-time-property.ts";
import { runRecordPromises } from "./run-record-promises.ts";

dueTimeProperty(embeddedHarness, 25);
runRecordPromises(embeddedHarness);
