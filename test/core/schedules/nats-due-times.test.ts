import { natsHarness } from "../../contract/nats-harness.ts";
import { dueTimeProperty } from "./due-time-property.ts";
import { lateWriteContract } from "./runs/late-write.contract.ts";
import { runRecordContract } from "./runs/run-record.contract.ts";

dueTimeProperty(natsHarness, 8);
runRecordContract(natsHarness);
lateWriteContract(natsHarness);
