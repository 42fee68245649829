import { natsHarness } from "../../contract/nats-harness.ts";
import { dueTimeProperty } from "./due-time-property.ts";
import { runRecordPromises } from "./run-record-promises.ts";

dueTimeProperty(natsHarness, 8);
runRecordPromises(natsHarness);
