#!/usr/bin/env node
// The program behind `npx vibe-rl`.
import { start } from "./start.js";

process.exitCode = await start(process.argv.slice(2));
