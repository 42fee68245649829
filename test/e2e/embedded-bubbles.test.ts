import { bubbleTable } from "./bubble-table.ts";

bubbleTable("embedded");
