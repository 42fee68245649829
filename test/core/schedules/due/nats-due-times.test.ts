import { natsHarness } from "../../../contract/nats-harness.ts";
import { runRecordPromises } from "../runs/run-record-promises.ts";
import { dueTimeProperty } from "./due-time-property.ts";

dueTimeProperty(natsHarness, 8);
runRecordPromises(natsHarness);
