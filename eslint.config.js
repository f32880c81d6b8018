// Lint rules: TypeScript's strict set, the order of the layers, and a core that runs in browsers.
import eslint from "@eslint/js";
import tseslint from "typescript-eslint";
import { layers, layerRule } from "./tools/layerRule.js";

const core = ["array", "compiler", "device", "nn", "env", "agent", "algorithms"];

export default tseslint.config(
  { ignores: ["dist", "runs", "coverage", ".cache"] },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: "tsconfig.json", tsconfigRootDir: import.meta.dirname },
    },
    plugins: { "vibe-rl": { rules: { layers: layerRule } } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-expressions": ["error", { allowTaggedTemplates: true }],
      "@typescript-eslint/non-nullable-type-assertion-style": "off",
      // Lists are read without a check (noUncheckedIndexedAccess is off), so the rule cannot know.
      "@typescript-eslint/no-unnecessary-condition": "off",
      // `if (array)` is always true; this finds it.
      "@typescript-eslint/strict-boolean-expressions": ["error", { allowNullableBoolean: true }],
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      "@typescript-eslint/no-misused-spread": "off",
      // There are no enums, and looking for them is the slowest of all rules.
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
      "@typescript-eslint/no-unsafe-enum-comparison": "off",
      // Our own Array is constructed with new.
      "@typescript-eslint/no-array-constructor": "off",
      "no-console": "error",
    },
  },
  { files: ["src/**"], rules: { "vibe-rl/layers": ["error", { layers }] } },
  {
    files: ["src/**"],
    ignores: ["src/node/**", "src/cli/**"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            { group: ["node:*"], message: "Every layer must load in a browser: take it from src/node." },
          ],
        },
      ],
    },
  },
  {
    files: core.map((layer) => `src/${layer}/**`),
    rules: {
      "no-restricted-globals": ["error", "process", "Buffer", "require", "__dirname"],
    },
  },
  {
    files: ["src/array/primitives/debugPrint.ts", "bench/**", "tools/**", "examples/**"],
    rules: { "no-console": "off" },
  },
  {
    files: ["**/*.js", "**/*.mjs"],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: { console: "readonly", process: "readonly", performance: "readonly", URL: "readonly" },
    },
  },
);
