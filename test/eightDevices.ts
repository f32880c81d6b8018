// For tests named *.devices.test.ts, which run in workers of their own: a process has one number of devices.
import { devices, setCpuDevices } from "vibe-rl/array";

setCpuDevices(8);
devices();
