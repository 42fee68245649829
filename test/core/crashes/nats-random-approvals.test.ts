import { randomApprovalCrashes } from "./random-approval-crashes.ts";

randomApprovalCrashes("nats", 2);
