// Tests import the sources by the names users import the package by.
import path from "node:path";
import { defineConfig } from "vitest/config";

const deviceTests = "test/**/*.devices.test.ts";
const source = path.join(import.meta.dirname, "src");

export default defineConfig({
  resolve: {
    alias: [
      { find: /^vibe-rl$/, replacement: path.join(source, "index.ts") },
      { find: /^vibe-rl\/(.*)$/, replacement: path.join(source, "exports", "$1.ts") },
    ],
  },
  test: {
    globalSetup: "test/globalSetup.ts",
    // All cores: the default leaves half of them idle.
    maxWorkers: "100%",
    // The sources are loaded once in each worker, not once in each file.
    isolate: false,
    // Slow machines are no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    typecheck: { enabled: false },
    projects: [
      { extends: true, test: { name: "tests", include: ["test/**/*.test.ts"], exclude: [deviceTests] } },
      {
        extends: true,
        test: { name: "devices", include: [deviceTests], setupFiles: "test/eightDevices.ts" },
      },
    ],
  },
});
