import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { lateWriteContract } from "./runs/late-write.contract.ts";
import { runRecordContract } from "./runs/run-record.contract.ts";
import { dueTimeProperty } from "./due-time-property.ts";

dueTimeProperty(embeddedHarness, 25);
runRecordContract(embeddedHarness);
lateWriteContract(embeddedHarness);
