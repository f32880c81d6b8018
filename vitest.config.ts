import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    alias: [
      { find: /^vibe-rl$/, replacement: new URL("./src/index.ts", import.meta.url).pathname },
      { find: /^vibe-rl\/(.*)$/, replacement: new URL("./src/$1/index.ts", import.meta.url).pathname },
    ],
  },
  test: { include: ["test/**/*.test.ts"], typecheck: { enabled: false } },
});
