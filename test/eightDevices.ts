// For tests named *.devices.test.ts, which run in workers of their own: a process has one number of devices.
import { setCpuDevices } from "vibe-rl/array";

setCpuDevices(8);
