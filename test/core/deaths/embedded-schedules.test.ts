import { scheduleDeaths } from "./schedule-deaths.ts";

scheduleDeaths("embedded");
