#!/usr/bin/env node
// The program behind `npx vibe-rl`.
import { main } from "./index.js";

process.exitCode = await main(process.argv.slice(2));
