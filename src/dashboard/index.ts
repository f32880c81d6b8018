// The dashboard: a local page over all runs, live while they train.
export { DashboardError } from "./errors.js";
export { startDashboard, type Dashboard, type DashboardOptions } from "./server.js";
export { statuses, type Status } from "./status.js";
export type { AddedValues, CurvesHeader, DashboardEvent, RunDetails, RunList, RunSummary } from "./types.js";
