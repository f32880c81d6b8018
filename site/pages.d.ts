// What the pages' builder gives them: style sheets as imports, and the package's version.
declare module "*.css";
declare const VIBE_RL_VERSION: string;
