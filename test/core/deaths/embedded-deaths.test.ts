import { coreDeaths } from "./core-deaths.ts";

coreDeaths("embedded");
