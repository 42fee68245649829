import type { ComponentType } from "preact";
import type { Route } from "../route.tsx";
import { AuditPage } from "./audit-page.tsx";
import { BlocksPage } from "./blocks-page.tsx";
import { ChannelLogPage } from "./channels/channel-log.tsx";
import { ChannelsPage } from "./channels/channels-page.tsx";
import { DeadLettersPage } from "./dead-letters-page.tsx";
import { FeedbackPage } from "./feedback/feedback-page.tsx";
import { OverviewPage } from "./overview/overview-page.tsx";
import { PeoplePage } from "./people-page.tsx";
import { ReportsPage } from "./reports-page.tsx";
import { SchedulesPage } from "./schedules/schedules-page.tsx";
import { SearchPage } from "./search/search-page.tsx";
import { SessionsPage } from "./sessions-page.tsx";
import { SettingsPage } from "./settings/settings-page.tsx";
import { SubtasksPage } from "./subtasks-page.tsx";
import { TenantsPage } from "./tenants-page.tsx";
import { ApprovalsPage } from "./tools/approvals-page.tsx";
import { ToolCallsPage } from "./tools/tool-calls-page.tsx";
import { ToolServersPage } from "./tools/tool-servers-page.tsx";
import { ReplyPage } from "./trace/reply-page.tsx";
import { TracePage } from "./trace/trace-page.tsx";
import { TranscriptPage } from "./transcript/transcript-page.tsx";
import { BudgetsPage } from "./use/budgets-page.tsx";
import { UsePage } from "./use/use-page.tsx";

interface ConsolePage {
  /** The page's part of the address. */
  readonly name: string;
  /** In the menu; a page without a title is linked from other pages. */
  readonly title?: string;
  /** The menu entry to highlight. */
  readonly partOf?: string;
  readonly View: ComponentType<{ route: Route }>;
}

/** All pages, in the order of the menu. */
export const pages: readonly ConsolePage[] = [
  { name: "overview", title: "Overview", View: OverviewPage },
  { name: "search", title: "Search", View: SearchPage },
  { name: "channels", title: "Channels", View: ChannelsPage },
  { name: "trace", title: "Trace", View: TracePage },
  { name: "sessions", title: "Sessions", View: SessionsPage },
  { name: "subtasks", title: "Subtasks", View: SubtasksPage },
  { name: "tool-calls", title: "Tool calls", View: ToolCallsPage },
  { name: "approvals", title: "Approvals", View: ApprovalsPage },
  { name: "tool-servers", title: "Tool servers", View: ToolServersPage },
  { name: "schedules", title: "Schedules", View: SchedulesPage },
  { name: "dead-letters", title: "Dead letters", View: DeadLettersPage },
  { name: "people", title: "People", View: PeoplePage },
  { name: "use", title: "Use", View: UsePage },
  { name: "budgets", title: "Budgets", View: BudgetsPage },
  { name: "feedback", title: "Feedback", View: FeedbackPage },
  { name: "reports", title: "Reports", View: ReportsPage },
  { name: "blocks", title: "Blocked accounts", View: BlocksPage },
  { name: "tenants", title: "Tenants", View: TenantsPage },
  { name: "settings", title: "Settings", View: SettingsPage },
  { name: "audit", title: "Audit log", View: AuditPage },
  { name: "transcript", partOf: "sessions", View: TranscriptPage },
  { name: "channel-log", partOf: "channels", View: ChannelLogPage },
  { name: "replies", partOf: "channels", View: ReplyPage },
];
