import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { dueTimeProperty } from "./due-time-property.ts";
import { lateWriteContract } from "./runs/late-write.contract.ts";
import { runRecordContract } from "./runs/run-record.contract.ts";

dueTimeProperty(embeddedHarness, 25);
runRecordContract(embeddedHarness);
lateWriteContract(embeddedHarness);
