import { randomApprovalCrashes } from "./random-approval-crashes.ts";

randomApprovalCrashes("embedded", 4);
